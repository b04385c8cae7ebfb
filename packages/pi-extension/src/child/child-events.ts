import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import type { AgentManager } from "@pi-subagents/runner";
import type { ChildBoundEvent, ChildEvent, ChildEvents } from "../service/events.js";

export type { ChildEvent } from "../service/events.js";

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
