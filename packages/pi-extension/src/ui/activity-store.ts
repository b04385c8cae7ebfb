import { type AgentActivity, createActivity, subscribeUIObserver } from "@pi-subagents/observers";
import type { AgentManager, Clock } from "@pi-subagents/runner";

/** The least time between two redraws. */
const REDRAW_MS = 100;
/** How often elapsed times are redrawn while nothing else happens. */
const CLOCK_MS = 1000;

/** What every running agent is doing, for whoever draws it. */
export interface ActivityStore {
	/** Absent before the agent's session is ready and after its run. */
	get(id: string): AgentActivity | undefined;
	/** Calls back after changes, at most ten times a second, and once a second while an agent is alive. Returns the end of it. */
	subscribe(listener: () => void): () => void;
	stop(): void;
}

/** Follows all sessions of a manager. No timer runs while no agent is alive and nobody listens. */
export function createActivityStore<Context>(
	manager: AgentManager<Context>,
	clock: Clock,
): ActivityStore {
	const activities = new Map<string, AgentActivity>();
	const observers = new Map<string, () => void>();
	const listeners = new Set<() => void>();
	let cancelRedraw: (() => void) | undefined;
	let cancelClock: (() => void) | undefined;

	function changed(): void {
		if (listeners.size === 0) return;
		cancelRedraw ??= clock.setTimeout(() => {
			cancelRedraw = undefined;
			tell();
		}, REDRAW_MS);
		tick();
	}

	function tell(): void {
		for (const listener of [...listeners]) listener();
	}

	function isAlive(): boolean {
		return manager.listAgents().some((record) => !record.isTerminal);
	}

	function tick(): void {
		if (cancelClock !== undefined || listeners.size === 0 || !isAlive()) return;
		cancelClock = clock.setTimeout(() => {
			cancelClock = undefined;
			changed();
		}, CLOCK_MS);
	}

	function forget(id: string): void {
		observers.get(id)?.();
		observers.delete(id);
		activities.delete(id);
	}

	const stopListening = manager.subscribe((event) => {
		const { id } = event.record;
		if (event.type === "session_created") {
			forget(id);
			const activity = createActivity();
			activities.set(id, activity);
			observers.set(id, subscribeUIObserver(event.session, activity, changed));
		} else if (event.type === "run_ended") {
			forget(id);
			if (!isAlive()) {
				cancelClock?.();
				cancelClock = undefined;
			}
		}
		changed();
	});

	return {
		get: (id) => activities.get(id),
		subscribe(listener) {
			listeners.add(listener);
			return () => void listeners.delete(listener);
		},
		stop() {
			stopListening();
			for (const id of [...observers.keys()]) forget(id);
			listeners.clear();
			cancelRedraw?.();
			cancelClock?.();
		},
	};
}
