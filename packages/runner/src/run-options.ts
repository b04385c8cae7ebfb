import type {
	AgentOutcome,
	RunLimits,
	SubagentSession,
	Usage,
	Workspace,
	WorkspaceReport,
} from "@pi-subagents/core";
import type { Clock } from "./clock.js";
import type { Inbox } from "./inbox.js";

/** How long an ended run may take to stop, in seconds, unless said otherwise. */
export const DEFAULT_GRACE_SECONDS = 5;

/** What a resumed run needs. */
export interface ResumeOptions {
	/** The task. It is never taken for a command, whatever it begins with. */
	readonly prompt: string;
	readonly limits?: RunLimits;
	/** Ends the run in whatever phase it is. Its `reason` may be a `StopReason` of core; otherwise `parent` is assumed. */
	readonly signal?: AbortSignal;
	/** Called once, before the first prompt; whoever wants to know more subscribes to the session. */
	readonly onSessionCreated?: (session: SubagentSession) => void;
	/** Where messages to the running agent are sent. */
	readonly inbox?: Inbox;
	/**
	 * How long an ended run may take to stop before it is declared dead.
	 * @defaultValue 5
	 */
	readonly graceSeconds?: number;
	/**
	 * Tools that `toolSeconds` does not bound, because they wait for other agents, which have limits of their own.
	 * @defaultValue none
	 */
	readonly untimedTools?: ReadonlySet<string>;
	/** @defaultValue the real time */
	readonly clock?: Clock;
}

/** What a run needs. */
export interface RunOptions extends ResumeOptions {
	/** Makes the session. Its `signal` aborts when the run has to end; a session that comes later is disposed. */
	readonly createSession: (start: SessionStart) => Promise<SubagentSession>;
	/** Makes the place to work in; the session is made after it. */
	readonly prepareWorkspace?: (signal: AbortSignal) => Promise<Workspace>;
	/** Three to five words, for the workspace's commit. */
	readonly description?: string;
	/**
	 * How long the place may take to be made, and after the run to be saved. A run that stops because the session ends
	 * waits only `graceSeconds` for the latter.
	 * @defaultValue 120
	 */
	readonly workspaceSeconds?: number;
}

/** What a session is made from. */
export interface SessionStart {
	readonly signal: AbortSignal;
	/** Where the agent works, if a workspace was prepared. */
	readonly workspace?: Workspace;
}

/** How a run ended. */
export interface RunResult {
	readonly outcome: AgentOutcome;
	/** The last text of this run, never of an earlier one; empty if there was none. `isPartial(outcome)` of core says whether it is whole. */
	readonly text: string;
	/** What this run used. */
	readonly usage: Usage;
	/** Turns of this run; attempts that the host retried are not counted. */
	readonly turns: number;
	/** The session, if one was made; the caller disposes it. */
	readonly session?: SubagentSession;
	readonly workspace?: WorkspaceReport;
	/** What became of a workspace that was not saved in time; never rejects, and may never come. */
	readonly workspaceLater?: Promise<WorkspaceReport>;
	/** Steering messages that the agent never read. */
	readonly unreadMessages: readonly string[];
	/** Whether the session did not stop in time; it may still run and must not be prompted again. */
	readonly unresponsive: boolean;
}
