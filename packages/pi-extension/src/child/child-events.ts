import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import type { AgentStatus, OutcomeReason } from "@pi-subagents/core";
import type { AgentManager } from "@pi-subagents/runner";

/**
 * What every `subagents:child:*` event says about a child session. `spawning`: it is about to be made.
 * `session-created`: it exists, and none of its extensions has run a hook yet. `bound`: its extensions have started and
 * its tools are settled; the first prompt follows. `completed`: its run is over. `disposed`: it is gone.
 */
export interface ChildEvent {
	/** The agent's id, the same for all runs of the agent. */
	readonly id: string;
	/** The name of its definition. */
	readonly type: string;
	readonly description: string;
	/** The agent that started it; absent for those of the main session. */
	readonly parentId?: string;
	/** 1 for agents of the main session. */
	readonly depth: number;
	/** The session that started it. */
	readonly parentSessionId: string;
	/** The directory that it works in. */
	readonly cwd: string;
	/** Whether the agent goes on with an earlier conversation. */
	readonly resumed: boolean;
	/** Of the child; absent in `spawning`. */
	readonly sessionId?: string;
	/** Of the child; absent in `spawning`, and for a conversation that is not stored. */
	readonly sessionFile?: string;
}

/** `subagents:child:bound` */
export interface ChildBoundEvent extends ChildEvent {
	/** The tools that the child's model has. */
	readonly tools: readonly string[];
}

/** `subagents:child:completed` */
export interface ChildCompletedEvent extends ChildEvent {
	readonly status: AgentStatus;
	readonly reason?: OutcomeReason;
}

/** All events by the last part of their name. */
export interface ChildEvents {
	readonly spawning: ChildEvent;
	readonly "session-created": ChildEvent;
	readonly bound: ChildBoundEvent;
	readonly completed: ChildCompletedEvent;
	readonly disposed: ChildEvent;
}

/** Tells other extensions of child sessions, each in the same order, whatever comes of it. */
export interface ChildAnnouncer {
	spawning(event: ChildEvent): void;
	/** The child's own extensions hear this and `bound`, too: on `own`, the bus that they share. */
	created(event: ChildEvent, own: EventBus | undefined): void;
	bound(event: ChildBoundEvent, own: EventBus | undefined): void;
}

/** Where extensions hear events. */
export type EventBus = Pick<ExtensionAPI["events"], "emit">;

/**
 * Announces on `bus`, which is asked for anew every time because a reload makes it stale. `completed` and `disposed` come
 * when the run is over, which is after its session was closed or given up.
 */
export function announceChildren<Context>(
	manager: Pick<AgentManager<Context>, "subscribe">,
	bus: () => EventBus,
): ChildAnnouncer {
	const open = new Map<string, ChildEvent>();

	function emit<Name extends keyof ChildEvents>(
		name: Name,
		event: ChildEvents[Name],
		own?: EventBus,
	): void {
		for (const target of [bus, ...(own ? [() => own] : [])]) {
			try {
				target().emit(`subagents:child:${name}`, event);
			} catch {
				// That session was replaced; nobody is left to tell.
			}
		}
	}

	manager.subscribe(({ type, record }) => {
		const child = open.get(record.id);
		if (type !== "run_ended" || child === undefined) return;
		open.delete(record.id);
		const reason = record.outcome && { reason: record.outcome.reason };
		emit("completed", { ...child, status: record.status, ...reason });
		emit("disposed", child);
	});

	return {
		spawning(event) {
			open.set(event.id, event);
			emit("spawning", event);
		},
		created(event, own) {
			open.set(event.id, event);
			emit("session-created", event, own);
		},
		bound: (event, own) => emit("bound", event, own),
	};
}
