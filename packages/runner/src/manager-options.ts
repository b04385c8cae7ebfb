import type {
	AgentRecord,
	Isolation,
	RunLimits,
	StopReason,
	SubagentSession,
	Workspace,
	WorkspaceProvider,
	WorkspaceReport,
} from "@pi-subagents/core";
import type { Clock } from "./clock.js";
import type { Delivery } from "./inbox.js";

/** How many background runs go on at once unless said otherwise. */
export const DEFAULT_MAX_CONCURRENT = 10;

/** What a manager needs. */
export interface AgentManagerOptions<Context> {
	/**
	 * Makes the session of a run, and, unless sessions are kept, makes it again for a resume. A rejection ends the run
	 * with `start_failed` and the message.
	 */
	readonly createSession: (request: SessionRequest<Context>) => Promise<SubagentSession>;
	/** Gives runs with `isolation: "worktree"` their own place. */
	readonly workspaces?: WorkspaceProvider;
	/** @defaultValue 10 */
	readonly maxConcurrent?: number;
	/**
	 * Whether an ended agent's session stays open, to be prompted again by a resume. Otherwise it is disposed after each
	 * run and made again.
	 * @defaultValue true
	 */
	readonly keepSessions?: boolean;
	/**
	 * How long an ended run, and then the disposal of its session, may take before it is given up.
	 * @defaultValue 5
	 */
	readonly graceSeconds?: number;
	/**
	 * How long a workspace may take to be made, and after the run to be saved; what is saved later is taken in then.
	 * @defaultValue 120
	 */
	readonly workspaceSeconds?: number;
	/**
	 * Tools that `toolSeconds` does not bound, because they wait for other agents, which have limits of their own.
	 * @defaultValue none
	 */
	readonly untimedTools?: ReadonlySet<string>;
	/** @defaultValue eight random hexadecimal digits */
	readonly newId?: () => string;
	/** @defaultValue the real time */
	readonly clock?: Clock;
	/** Hears of faults that no caller can be told of. @defaultValue `process.emitWarning` */
	readonly log?: (message: string, error: Error) => void;
}

/** What a session is made from. */
export interface SessionRequest<Context> {
	readonly record: AgentRecord;
	readonly context: Context;
	/** The directory to work in: the workspace's, if there is one. */
	readonly cwd: string;
	readonly workspace?: Workspace;
	/** Aborts when the run has to end. */
	readonly signal: AbortSignal;
	/** Whether the agent goes on with its conversation, which `record.sessionFile` or `previous` holds. */
	readonly resume: boolean;
	/** The session of the last run, if sessions are kept. */
	readonly previous?: SubagentSession;
}

/** A task for a new agent. */
export interface SpawnOptions<Context> {
	/** The name of its definition. */
	readonly type: string;
	/** Three to five words for people. */
	readonly description: string;
	/** The task. It is never taken for a command, whatever it begins with. */
	readonly prompt: string;
	/** Handed to `createSession` as it is, also for a resume. */
	readonly context: Context;
	/**
	 * Background runs share the slots of the manager. Foreground runs have as many slots again for each parent, so that a
	 * parent that waits never waits for background work.
	 * @defaultValue false
	 */
	readonly background?: boolean;
	/** Start at once, whatever the limit. */
	readonly bypassQueue?: boolean;
	/** Also in force for a resume, unless that says otherwise. */
	readonly limits?: RunLimits;
	/** @defaultValue `"none"` */
	readonly isolation?: Isolation;
	/** @defaultValue the directory of the process */
	readonly cwd?: string;
	/** Stops the first run; its `reason` may be a `StopReason` of core. */
	readonly signal?: AbortSignal;
	/**
	 * Whom an abort of `signal` comes from, unless its reason says it.
	 * @defaultValue `"parent"`
	 */
	readonly stoppedBy?: StopReason;
	/** The agent that starts this one. */
	readonly parentId?: string;
	/** Called for every session of the agent, before its prompt. */
	readonly onSessionCreated?: (session: SubagentSession) => void;
}

/** What an agent of an earlier process is resumed with; see {@link SpawnOptions}. */
export interface RestoreOptions<Context>
	extends Pick<
		SpawnOptions<Context>,
		"limits" | "isolation" | "cwd" | "parentId" | "onSessionCreated"
	> {
	/** What `getUnreadMessages` said; a resume delivers them. */
	readonly unreadMessages?: readonly string[];
	/** What `getWorkspace` said; a resume gets that place back. */
	readonly workspace?: WorkspaceReport;
}

/** A further task for an ended agent. */
export interface ResumeRequest<Context> {
	readonly prompt: string;
	/** @defaultValue that of the last run; needed for the first resume of a restored agent */
	readonly context?: Context;
	readonly background?: boolean;
	readonly bypassQueue?: boolean;
	/** @defaultValue those that it was started with */
	readonly limits?: RunLimits;
	readonly signal?: AbortSignal;
	readonly stoppedBy?: StopReason;
}

/** Whether a resume was begun; if not, why. */
export type ResumeAnswer = "started" | "unknown" | "not_ended";
/** What became of a stop: over at once, told to end, nothing to stop. */
export type StopAnswer = "stopped" | "stopping" | "already_ended" | "unknown";
/** What became of a message: see {@link Delivery}; `ended` if there is no run that could read it. */
export type SteerAnswer = Exclude<Delivery, "closed"> | "ended" | "unknown";
