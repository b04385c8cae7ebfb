import type { ActiveTool, AgentActivity } from "@pi-subagents/observers";
import { oneLine } from "../format.js";

const VERBS: Readonly<Record<string, string>> = {
	bash: "running",
	edit: "editing",
	find: "finding",
	grep: "searching",
	ls: "listing",
	read: "reading",
	write: "writing",
};

/** What the agent is doing in a few words: what it waits for, its tools, else what it says, else `thinking…`. */
export function activityText(activity: AgentActivity | undefined): string {
	if (activity === undefined) return "starting…";
	if (activity.waitingFor === "person") return "waiting for your answer…";
	if (activity.waitingFor === "provider") return "waiting for the model provider…";
	const tools = [...activity.activeTools.values()];
	const last = tools.at(-1);
	if (last !== undefined) {
		const others = tools.length > 1 ? ` (and ${tools.length - 1} more)` : "";
		return `${toolText(last)}${others}`;
	}
	const line = activity.responseText.trimEnd().split("\n").at(-1) ?? "";
	return oneLine(line, 80) || "thinking…";
}

function toolText({ toolName, args }: ActiveTool): string {
	const subject = oneLine(subjectOf(args), 60);
	const verb = VERBS[toolName] ?? toolName;
	return subject ? `${verb} ${subject}` : verb;
}

/** What a tool works on: the first argument that says so. */
function subjectOf(args: unknown): string {
	if (typeof args !== "object" || args === null) return "";
	const values = args as Readonly<Record<string, unknown>>;
	for (const key of ["path", "file_path", "command", "pattern", "query", "url", "description"]) {
		const value = values[key];
		if (typeof value === "string" && value !== "") return value;
	}
	return "";
}
