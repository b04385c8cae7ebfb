import type { ExtensionContext } from "@mariozechner/pi-coding-agent";
import type { AgentRecord } from "@pi-subagents/core";
import type { AgentManager } from "@pi-subagents/runner";
import type { Delegation } from "./delegation.js";
import { formatStatus, plural } from "./format.js";

/** What came of something that a person did, as a sentence. */
export interface Said {
	readonly text: string;
	readonly failed: boolean;
}

/** What a person can do with agents, whichever screen they do it on. */
export interface AgentActions {
	/** Gives a running agent a message, or an ended one a further task. */
	send(record: AgentRecord, text: string, ctx: ExtensionContext): Promise<Said>;
	/** Starts an agent in the background; its end is announced to the parent. */
	start(type: string, task: string, ctx: ExtensionContext): Promise<Said>;
	stop(record: AgentRecord): Said;
	/** Stops every agent that runs or waits. */
	stopAll(): Said;
}

/** The actions of one parent session. */
export function createAgentActions(
	manager: Pick<AgentManager<never>, "steer" | "abort" | "abortAll">,
	delegation: Pick<Delegation, "begin">,
): AgentActions {
	async function begin(
		call: Parameters<Delegation["begin"]>[0],
		verb: string,
		ctx: ExtensionContext,
	): Promise<Said> {
		const whole = { ...call, run_in_background: true };
		const begun = await delegation.begin(whole, ctx, undefined, { announce: true });
		if ("content" in begun) {
			const text = begun.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
			return { text, failed: true };
		}
		const { record, notes } = begun;
		const queued = record.status === "queued" ? ", in the queue" : "";
		const lines = [`${record.type} ${record.id} ${verb}${queued}.`, ...notes];
		return { text: lines.join("\n"), failed: false };
	}

	return {
		async send(record, text, ctx) {
			const { id, type, description } = record;
			if (record.isTerminal) {
				const call = { prompt: text, description, subagent_type: type, resume: id };
				return begin(call, "goes on", ctx);
			}
			const answer = await manager.steer(id, text).catch((error: unknown) => error);
			switch (answer) {
				case "delivered":
					return {
						text: `${id} has the message and reads it after its current tool calls.`,
						failed: false,
					};
				case "kept":
					return { text: `${id} is ${record.status} and reads the message first.`, failed: false };
				case "ended":
					return { text: `${id} has already ended: ${formatStatus(record)}.`, failed: true };
				default:
					return { text: `${id} did not take the message: ${String(answer)}.`, failed: true };
			}
		},
		start: (type, task, ctx) =>
			begin(
				{ prompt: task, description: firstWords(task), subagent_type: type },
				"has started",
				ctx,
			),
		stopAll() {
			const count = manager.abortAll("user");
			return count === 0
				? { text: "No agent is running or queued.", failed: true }
				: { text: `${plural(count, "agent")} stopped; what they had is kept.`, failed: false };
		},
		stop({ id }) {
			switch (manager.abort(id, "user")) {
				case "stopped":
				case "stopping":
					return { text: `${id} was stopped; what it had is kept.`, failed: false };
				case "already_ended":
					return { text: `${id} has already ended.`, failed: true };
				default:
					return { text: `${id} is not there any more.`, failed: true };
			}
		},
	};
}

/** What a task is called that a person gave without a name. */
function firstWords(task: string): string {
	return task.trim().split(/\s+/).slice(0, 6).join(" ").slice(0, 48);
}
