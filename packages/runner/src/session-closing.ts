import type { AgentRecord, SubagentSession } from "@pi-subagents/core";
import type { AgentEntry } from "./agent-entry.js";
import { type Clock, startPause } from "./clock.js";

/** Ends sessions whatever they do. */
export interface SessionClosing {
	/** Never rejects and never hangs: a session whose disposal takes too long is left to itself. */
	close<Context>(agent: AgentEntry<Context>): Promise<void>;
	/** Never rejects; a failure is logged. */
	dispose(record: AgentRecord, session: SubagentSession): Promise<void>;
}

/** A disposal may take `graceMs` milliseconds. */
export function createSessionClosing(
	clock: Clock,
	graceMs: number,
	log: (message: string, error: unknown) => void,
): SessionClosing {
	function dispose(record: AgentRecord, session: SubagentSession): Promise<void> {
		return new Promise<void>((resolve) => resolve(session.dispose())).catch((error: unknown) =>
			log(`The session of agent ${record.id} was not closed.`, error),
		);
	}

	return {
		dispose,
		async close(agent) {
			const { session, record } = agent;
			agent.session = undefined;
			if (session === undefined) return;
			record.setSessionFile(session.sessionFile ?? record.sessionFile);
			const grace = startPause(clock, graceMs);
			await Promise.race([dispose(record, session), grace.over]);
			grace.end();
		},
	};
}
