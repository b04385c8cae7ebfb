import type { AgentRecord, SubagentSession } from "@pi-subagents/core";
import type { Compaction } from "@pi-subagents/observers";
import type { RunResult } from "./run-options.js";

/** What a manager tells its subscribers, in this order for one run. Each event carries the record as it is then. */
export type ManagerEvent =
	/** An agent is known; it is queued or about to run. */
	| { readonly type: "agent_created"; readonly record: AgentRecord }
	/** An ended agent was given a further task; it is queued or about to run. */
	| { readonly type: "agent_resumed"; readonly record: AgentRecord }
	/** It has a slot; its workspace and session are being made. */
	| { readonly type: "run_started"; readonly record: AgentRecord }
	/** The session is ready and not prompted yet: the time to subscribe to it. */
	| {
			readonly type: "session_created";
			readonly record: AgentRecord;
			readonly session: SubagentSession;
	  }
	| {
			readonly type: "compacted";
			readonly record: AgentRecord;
			readonly compaction: Compaction;
	  }
	/** A message was accepted. */
	| { readonly type: "steered"; readonly record: AgentRecord; readonly message: string }
	/** It was stopped and its record says so; the run may take a moment to end. */
	| { readonly type: "run_stopping"; readonly record: AgentRecord }
	/** The run is over, its session closed and its slot free. `result` is absent if it never started. */
	| {
			readonly type: "run_ended";
			readonly record: AgentRecord;
			readonly result: RunResult | undefined;
	  }
	/** A workspace that was not saved in time was saved now, or could not be; its report says it. */
	| { readonly type: "workspace_saved"; readonly record: AgentRecord };

/** Subscribers that cannot disturb each other or whoever emits. */
export interface Emitter<Event> {
	emit(event: Event): void;
	subscribe(listener: (event: Event) => void): () => void;
}

/** Calls every listener that was subscribed when the event came; what one throws goes to `onError`. */
export function createEmitter<Event>(onError: (error: unknown) => void): Emitter<Event> {
	const listeners = new Set<(event: Event) => void>();
	return {
		emit(event) {
			for (const listener of [...listeners]) {
				if (!listeners.has(listener)) continue;
				try {
					listener(event);
				} catch (error) {
					onError(error);
				}
			}
		},
		subscribe(listener) {
			const own = (event: Event): void => listener(event);
			listeners.add(own);
			return () => void listeners.delete(own);
		},
	};
}
