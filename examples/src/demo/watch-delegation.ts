import { toSessionEvent } from "@pi-subagents/core";
import type { HostLine } from "@pi-subagents/test-helpers";
import { spoken } from "./conversation.js";
import type { AgentEnd, Delegation, DemoAgent, Happening } from "./demo-agent.js";
import { type FollowedFile, followLines } from "./follow-lines.js";
import { STATUS_KEY } from "./forward-events.js";
import { list, member, number, parseJson, text } from "./json.js";

/** Watches a pi that delegates, from what it says in RPC mode and from the agents' session files. */
export interface DelegationWatch {
	/** Takes an event of the host. */
	take(event: HostLine): void;
	/** Looks what the agents have done meanwhile. */
	look(): void;
	/** Whether the parent rests, all agents have ended, and it was told of each. */
	readonly isOver: boolean;
	readonly delegation: Delegation;
}

/** Nothing has happened yet; `tell` is called for everything that does. */
export function watchDelegation(tell: (happening: Happening) => void): DelegationWatch {
	const agents: DemoAgent[] = [];
	const files = new Map<string, FollowedFile>();
	const calls = new Map<string, unknown>();
	const problems: string[] = [];
	let atOnce = 0;
	let notifications = 0;
	let answer = "";
	let error = "";
	let working = true;

	const alive = (): readonly DemoAgent[] => agents.filter(({ end }) => end === undefined);
	const find = (id: string): DemoAgent | undefined => agents.find((agent) => agent.id === id);

	/** An event of the extension. */
	function agentEvent(name: string, data: unknown): void {
		if (name === "created") created(data);
		const agent = find(text(data, "id"));
		if (agent === undefined) return;
		const file = text(data, "sessionFile");
		if (file) files.set(agent.id, followLines(file, conversationOf(agent)));
		if (name !== "completed" && name !== "failed") return;
		files.get(agent.id)?.look();
		agent.end = readEnd(data);
		tell({ type: "ended", agent });
	}

	function created(data: unknown): void {
		const agent: DemoAgent = {
			id: text(data, "id"),
			type: text(data, "type"),
			description: text(data, "description"),
			background: false,
			messages: [],
			end: undefined,
			told: 0,
		};
		agents.push(agent);
		atOnce = Math.max(atOnce, alive().length);
		tell({ type: "created", agent });
	}

	/** Tells what is in an agent's session file, line by line. */
	function conversationOf(agent: DemoAgent): (line: string) => void {
		let hasTask = false;
		return (line) => {
			const entry = parseJson(line);
			if (text(entry, "type") !== "message") return;
			for (const part of spoken(member(entry, "message"))) {
				const isTask = part.type === "read" && !hasTask;
				hasTask = true;
				if (isTask) continue;
				if (part.type === "read") agent.messages.push(part.text);
				tell({ ...part, agent });
			}
		};
	}

	function parentMessage(message: unknown): void {
		switch (text(message, "role")) {
			case "assistant": {
				const parts = spoken(message);
				for (const part of parts) tell(part);
				answer = parts.findLast(({ type }) => type === "said")?.text ?? answer;
				// A retry may still make it good.
				error = text(message, "errorMessage");
				break;
			}
			case "custom":
				notified(message);
				break;
		}
	}

	/** A message for the parent, or the entry of one. */
	function notified(message: unknown): void {
		if (text(message, "customType") !== "subagent-notification") return;
		const named = list(member(message, "details"), "agents").flatMap((each) => {
			const agent = find(text(each, "id"));
			return agent ? [agent] : [];
		});
		notifications++;
		for (const agent of named) agent.told++;
		tell({ type: "told", agents: named });
	}

	function toolEnded(callId: string, toolName: string, event: HostLine): void {
		const content = list(member(event, "result"), "content").map((part) => text(part, "text"));
		const said = content.join("\n");
		if (event.isError === true) tell({ type: "failed", text: said });
		const agent = find(/^agent_id: (\S+)/.exec(said)?.[1] ?? "");
		if (agent === undefined) return;
		if (toolName === "subagent") {
			agent.background = member(calls.get(callId), "run_in_background") === true;
			if (!agent.background) agent.told++;
		} else if (toolName === "get_subagent_result" && agent.end) {
			agent.told++;
		}
	}

	function take(event: HostLine): void {
		if (event.type === "extension_ui_request" && event.statusKey === STATUS_KEY) {
			const sent = parseJson(text(event, "statusText"));
			agentEvent(text(sent, "event"), member(sent, "agent"));
		}
		if (event.type === "extension_error") {
			problems.push(`An extension failed: ${text(event, "error")}`);
		}
		// What 1.6.0 tells the parent before it rests is an entry and no message.
		if (event.type === "entry_appended") notified(event.entry);
		const known = toSessionEvent(event);
		switch (known?.type) {
			case "agent_start":
			case "auto_retry_start":
			case "compaction_start":
				working = true;
				break;
			case "agent_end":
				working = false;
				break;
			case "message_end":
				parentMessage(known.message);
				break;
			case "tool_execution_start":
				calls.set(known.toolCallId, known.args);
				break;
			case "tool_execution_end":
				toolEnded(known.toolCallId, known.toolName, event);
				break;
			default:
				break;
		}
	}

	return {
		take,
		look() {
			for (const file of files.values()) file.look();
		},
		get isOver() {
			return !working && agents.every(({ end, told }) => end !== undefined && told > 0);
		},
		get delegation() {
			const failure = error ? [`The parent's model failed: ${error}`] : [];
			return { agents, atOnce, notifications, answer, problems: [...problems, ...failure] };
		},
	};
}

function readEnd(data: unknown): AgentEnd {
	return {
		status: text(data, "status"),
		text: text(data, "error") || text(data, "result"),
		turns: number(data, "turnCount"),
		toolUses: number(data, "toolUses"),
		tokens: number(data, "totalTokens"),
		cost: number(member(data, "usage"), "cost"),
		duration: number(data, "durationMs"),
	};
}
