import type { AgentRecord } from "@pi-subagents/core";
import type { AgentManager, Clock } from "@pi-subagents/runner";

/** How long a call waits to learn whether an agent has a place to work in. */
const PATIENCE_MS = 10_000;

/**
 * Resolves when an agent has its session, or has ended without one; at once if it is in the queue, and otherwise after some
 * seconds or when `signal` aborts.
 */
export function placed(
	record: AgentRecord,
	manager: Pick<AgentManager<never>, "subscribe" | "getSession">,
	clock: Clock,
	signal: AbortSignal | undefined,
): Promise<void> {
	const isOpen =
		record.status === "running" && manager.getSession(record.id) === undefined && !signal?.aborted;
	if (!isOpen) return Promise.resolve();
	return new Promise((resolve) => {
		const end = (): void => {
			cancel();
			unsubscribe();
			signal?.removeEventListener("abort", end);
			resolve();
		};
		const cancel = clock.setTimeout(end, PATIENCE_MS);
		const unsubscribe = manager.subscribe((event) => {
			if (event.record !== record) return;
			if (event.type === "session_created" || event.type === "run_ended") end();
		});
		signal?.addEventListener("abort", end, { once: true });
	});
}
