import { messageText } from "@pi-subagents/core";
import { list, member, text } from "./json.js";

/** What a message of a session adds to the story. */
export interface Spoken {
	readonly type: "said" | "called" | "returned" | "failed" | "read";
	readonly text: string;
	/** Of `called`: how many calls these are. */
	readonly calls?: number;
}

/** The parts of a message of pi: words, tool calls, or the result of one. */
export function spoken(message: unknown): readonly Spoken[] {
	const words = messageText({ role: "any", content: member(message, "content") });
	switch (text(message, "role")) {
		case "user":
			return [{ type: "read", text: words }];
		case "toolResult":
			return [{ type: member(message, "isError") === true ? "failed" : "returned", text: words }];
		case "assistant": {
			const calls = list(message, "content").filter((part) => text(part, "type") === "toolCall");
			const error = text(message, "errorMessage");
			return [
				...(words ? [{ type: "said", text: words } as const] : []),
				...describeCalls(calls),
				...(error ? [{ type: "failed", text: error } as const] : []),
			];
		}
		default:
			return [];
	}
}

/** Many calls of the same tool are told in one line. */
const MANY = 3;

function describeCalls(calls: readonly unknown[]): readonly Spoken[] {
	const names = new Set(calls.map((call) => text(call, "name")));
	return [...names].flatMap((name) => {
		const same = calls.filter((call) => text(call, "name") === name);
		const one = (call: unknown): Spoken => ({ type: "called", text: describeCall(call), calls: 1 });
		if (same.length < MANY) return same.map(one);
		const first = `${describeCall(same[0])} and ${same.length - 1} more`;
		return [{ type: "called", text: first, calls: same.length }];
	});
}

/** A tool call in a few words: `bash wc -l`, `subagent Explore "List the packages" in the background`. */
function describeCall(call: unknown): string {
	const name = text(call, "name");
	const args = member(call, "arguments");
	const value = (key: string): string => text(args, key);
	switch (name) {
		case "subagent": {
			const where = member(args, "run_in_background") === true ? "background" : "foreground";
			return `subagent ${value("subagent_type")} "${value("description")}" in the ${where}`;
		}
		case "steer_subagent":
			return `steer_subagent ${value("agent_id")} "${value("message")}"`;
		default: {
			const subjects = ["command", "path", "pattern", "agent_id"].map(value);
			return `${name} ${subjects.find((subject) => subject !== "") ?? ""}`.trim();
		}
	}
}
