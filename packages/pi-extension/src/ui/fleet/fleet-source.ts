import type { AgentRecord, SessionMessage } from "@pi-subagents/core";
import type { AgentActivity } from "@pi-subagents/observers";

/** A conversation as it is now. */
export interface Transcript {
	readonly messages: readonly SessionMessage[];
	/** The message that is being written. */
	readonly live: SessionMessage | undefined;
}

/** What the view of all agents shows and does. */
export interface FleetSource {
	readonly agents: () => readonly AgentRecord[];
	readonly activity: (id: string) => AgentActivity | undefined;
	/** The conversation of an agent whose session is open. */
	readonly openTranscript: (record: AgentRecord) => Transcript | undefined;
	/** The conversation of any other agent, read from where it is kept. Rejects if that cannot be read. */
	readonly storedTranscript: (record: AgentRecord) => Promise<readonly SessionMessage[]>;
	readonly now: () => number;
	/** Calls back after changes, at most ten times a second. Returns the end of it. */
	readonly subscribe: (listener: () => void) => () => void;
	/** Gives a running agent a message, or an ended one a further task; resolves with what came of it, as a sentence. */
	readonly send: (record: AgentRecord, text: string) => Promise<string>;
	/** Stops an agent, and says what came of it. */
	readonly stop: (record: AgentRecord) => string;
	/** Stops every agent that runs or waits, and says what came of it. */
	readonly stopAll: () => string;
	readonly copy: (text: string) => Promise<void>;
}
