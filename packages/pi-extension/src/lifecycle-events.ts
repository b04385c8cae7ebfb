import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import { type AgentRecord, type OutcomeReason, totalTokens, type Usage } from "@pi-subagents/core";
import type { AgentManager, ManagerEvent } from "@pi-subagents/runner";

/** What every event of an agent carries. */
export interface AgentEvent {
	readonly id: string;
	readonly type: string;
	readonly description: string;
	readonly parentId?: string;
}

/** `subagents:completed` and `subagents:failed`. */
export interface AgentEndEvent extends AgentEvent {
	readonly status: string;
	readonly reason?: OutcomeReason;
	readonly result?: string;
	readonly error?: string;
	readonly toolUses: number;
	readonly turnCount: number;
	readonly durationMs: number;
	readonly usage: Readonly<Usage>;
	/** input + output + cacheWrite */
	readonly totalTokens: number;
}

/** Tells other extensions of every agent, whatever started it, on `pi.events`. Returns the end of it. */
export function emitLifecycle<Context>(
	manager: AgentManager<Context>,
	events: ExtensionAPI["events"],
): () => void {
	return manager.subscribe((event) => {
		const agent = agentEvent(event.record);
		switch (event.type) {
			case "agent_created":
				return events.emit("subagents:created", agent);
			case "agent_resumed":
				return events.emit("subagents:resumed", agent);
			case "run_started":
				return events.emit("subagents:started", agent);
			case "compacted":
				return events.emit("subagents:compacted", { ...agent, ...event.compaction });
			case "steered":
				return events.emit("subagents:steered", { ...agent, message: event.message });
			case "run_ended":
				return events.emit(endName(event), { ...agent, ...end(event.record) });
			default:
				return undefined;
		}
	});
}

function endName({ record }: ManagerEvent): string {
	const good = record.status === "completed" || record.status === "steered";
	return good ? "subagents:completed" : "subagents:failed";
}

function agentEvent({ id, type, description, parentId }: AgentRecord): AgentEvent {
	return { id, type, description, ...(parentId === undefined ? {} : { parentId }) };
}

function end(record: AgentRecord): Omit<AgentEndEvent, keyof AgentEvent> {
	const { outcome, result, error } = record;
	return {
		status: record.status,
		...(outcome && { reason: outcome.reason }),
		...(result !== undefined && { result }),
		...(error !== undefined && { error }),
		toolUses: record.toolUses,
		turnCount: record.turnCount,
		durationMs: (record.completedAt ?? 0) - (record.startedAt ?? record.completedAt ?? 0),
		usage: record.lifetimeUsage,
		totalTokens: totalTokens(record.lifetimeUsage),
	};
}
