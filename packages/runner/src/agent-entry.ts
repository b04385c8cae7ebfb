import type { AgentRecord, SubagentSession, WorkspaceReport } from "@pi-subagents/core";
import type { Inbox } from "./inbox.js";
import type { RestoreOptions, ResumeRequest } from "./manager-options.js";
import type { SlotRequest } from "./slots.js";

/** What a manager keeps of an agent besides its record. */
export interface AgentEntry<Context> {
	readonly record: AgentRecord;
	readonly spawn: RestoreOptions<Context>;
	/** Absent for a restored agent that was not resumed yet. */
	context: Context | undefined;
	run: ActiveRun | undefined;
	/** Kept after a run if sessions are kept. */
	session: SubagentSession | undefined;
	workspace: WorkspaceReport | undefined;
	/** While the workspace of the last run is still being saved. Never rejects. */
	saving: Promise<void> | undefined;
	/** Accepted, but not read before the last run ended. */
	unread: readonly string[];
}

/** What the first run of an agent and a resume have in common. */
export type RunRequest = Omit<ResumeRequest<unknown>, "context">;

/** A run from the moment it was asked for to its end. */
export interface ActiveRun {
	readonly inbox: Inbox;
	readonly controller: AbortController;
	readonly ended: Promise<void>;
	readonly resolveEnded: () => void;
	readonly request: RunRequest;
	readonly resumed: boolean;
	stopListening: () => void;
	slot: SlotRequest | undefined;
}

/** An agent that has not been given a run yet. */
export function createEntry<Context>(
	record: AgentRecord,
	spawn: RestoreOptions<Context>,
	context: Context | undefined,
): AgentEntry<Context> {
	return {
		record,
		spawn,
		context,
		run: undefined,
		session: undefined,
		workspace: spawn.workspace,
		saving: undefined,
		unread: spawn.unreadMessages ?? [],
	};
}
