import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import { type AgentRecord, totalTokens } from "@pi-subagents/core";
import type { AgentManager, ManagerEvent } from "@pi-subagents/runner";
import { asMain } from "./child/child-marker.js";
import type { AgentEndEvent, AgentEvent, SubagentsEvents } from "./service/events.js";

/** Tells other extensions of every agent, whatever started it, on `pi.events`. Returns the end of it. */
export function emitLifecycle<Context>(
	manager: AgentManager<Context>,
	events: ExtensionAPI["events"],
): () => void {
	// Some come from inside an agent; who hears them is not inside one.
	const emit = <Name extends keyof SubagentsEvents>(
		name: Name,
		data: SubagentsEvents[Name],
	): void => asMain(() => events.emit(name, data));
	return manager.subscribe((event) => {
		const agent = agentEvent(event.record);
		switch (event.type) {
			case "agent_created":
				return emit("subagents:created", agent);
			case "agent_resumed":
				return emit("subagents:resumed", agent);
			case "run_started":
				return emit("subagents:started", agent);
			case "compacted":
				return emit("subagents:compacted", { ...agent, ...event.compaction });
			case "steered":
				return emit("subagents:steered", { ...agent, message: event.message });
			case "run_ended":
				return emit(endName(event), { ...agent, ...end(event.record) });
			default:
				return undefined;
		}
	});
}

function endName({ record }: ManagerEvent): "subagents:completed" | "subagents:failed" {
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
