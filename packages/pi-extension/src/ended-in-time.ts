import type { AgentManager, Clock } from "@pi-subagents/runner";

/** How long one who was interrupted waits for the end of what he was waiting for. */
const PATIENCE_MS = 1500;

/**
 * Waits for the end of an agent's run, and resolves with whether it is over. From the moment `signal` aborts it waits only
 * a little: the run was told to stop, and saving a worktree, or a tool that does not listen, can take long.
 */
export async function endedInTime(
	id: string,
	manager: Pick<AgentManager<never>, "wait">,
	clock: Clock,
	signal: AbortSignal | undefined,
): Promise<boolean> {
	const patience = new AbortController();
	let cancel = (): void => {};
	const onAbort = (): void => {
		cancel = clock.setTimeout(() => patience.abort(), PATIENCE_MS);
	};
	if (signal?.aborted) onAbort();
	else signal?.addEventListener("abort", onAbort, { once: true });
	try {
		await manager.wait(id, patience.signal);
		return true;
	} catch {
		return false;
	} finally {
		cancel();
		signal?.removeEventListener("abort", onAbort);
	}
}
