import type { SubagentSession } from "@pi-subagents/core";
import { listen } from "@pi-subagents/observers";
import type { Ending } from "./ending.js";

/**
 * Stops the session when the run has to end, and again whenever it starts something: a session forgets an abort that
 * comes while no agent is running, for example between `prompt()` and the first request.
 */
export function abortWhenEnded(session: SubagentSession, ending: Ending): () => void {
	const abort = (): void => void abortSession(session).catch(() => {});
	const stopListening = listen(session.agent ?? session, (event) => {
		const starts = event.type === "agent_start" || event.type === "turn_start";
		if (starts && ending.cause) abort();
	});
	if (ending.cause) abort();
	ending.signal.addEventListener("abort", abort, { once: true });
	return () => {
		stopListening();
		ending.signal.removeEventListener("abort", abort);
	};
}

/** The abort of 0.73.1 does not stop a compaction, which may run already or begin when the agent has stopped. */
async function abortSession(session: SubagentSession): Promise<void> {
	try {
		session.abortCompaction?.();
	} finally {
		await session.abort();
	}
	session.abortCompaction?.();
}
