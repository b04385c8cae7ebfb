import type {
	AgentDefinition,
	AgentRecordSnapshot,
	CompactionReason,
	Isolation,
	ObservableSession,
	ThinkingLevel,
	WorkspaceProvider,
} from "@pi-subagents/core";

/** A version of the service. A higher `minor` only adds. */
export interface ServiceVersion {
	readonly major: number;
	readonly minor: number;
}

/**
 * Why nothing was done:
 *
 * - `not_loaded`: there is no sub-agent extension in this process, or its session has not started.
 * - `incompatible`: it does not speak the version that is asked for.
 * - `inside_agent`: the caller is an extension of an agent. Only the extensions of the main session use the service.
 * - `stale`: the session that the service belongs to has ended or was reloaded. Get the service anew.
 * - `unknown_agent`: there is no agent with that id.
 * - `ended`, `not_ended`: the agent has ended, or still runs, and this needs the other.
 * - `refused`: the message says why.
 */
export type RefusalReason =
	| "not_loaded"
	| "incompatible"
	| "inside_agent"
	| "stale"
	| "unknown_agent"
	| "ended"
	| "not_ended"
	| "refused";

/** Nothing was done. */
export interface Refusal {
	readonly ok: false;
	readonly reason: RefusalReason;
	/** One or two sentences for people or models: what, why, and what to do. */
	readonly message: string;
}

/** What was asked for, or why there is none. The service never throws and never rejects for what a caller can expect. */
export type Answer<T> = ({ readonly ok: true } & T) | Refusal;

/** An agent as it is now, as plain JSON: a copy that does not change. */
export interface AgentAnswer {
	readonly agent: AgentRecordSnapshot;
}

/** A run was begun. */
export interface BegunAnswer extends AgentAnswer {
	/** What there is to say about the request, one sentence each: options without effect, replacements. */
	readonly notes: readonly string[];
}

/** What a run is given; the same for a first and for a further task. */
export interface RunRequest {
	/** The whole task: the agent knows nothing else. */
	readonly prompt: string;
	/** @defaultValue that of the agent's type or of the settings */
	readonly maxTurns?: number;
	/**
	 * Whether the main session's model is told how the run ends, as it is of background agents that it started itself, and
	 * is woken for it. Print and JSON mode then wait for it.
	 * @defaultValue false
	 */
	readonly wakeParent?: boolean;
	/** Stops the run. */
	readonly signal?: AbortSignal;
}

/** A task for a new agent. What is left out is decided by its type and by the settings, as for a call of the model. */
export interface SpawnRequestOptions extends RunRequest {
	/** The name of an agent type, without regard to case. */
	readonly type: string;
	/**
	 * Three to five words for people.
	 * @defaultValue the beginning of the prompt
	 */
	readonly description?: string;
	/** `provider/id`, an id or an alias. */
	readonly model?: string;
	readonly thinking?: ThinkingLevel;
	/** Whether it is given the main session's conversation, too. */
	readonly inheritContext?: boolean;
	/** Whether it has no extension tools. */
	readonly isolated?: boolean;
	readonly isolation?: Isolation;
	/** Its directory, absolute or relative to that of the session. */
	readonly cwd?: string;
}

/** What was done with a message. */
export interface SteerAnswer {
	/** `kept`: it is read first when the agent's session is ready. */
	readonly delivery: "delivered" | "kept";
}

/** A type of agents. */
export interface AgentType {
	readonly name: string;
	/** When to use it; empty if its file cannot be read. */
	readonly description: string;
	/** Only `enabled` ones can be started. */
	readonly state: "enabled" | "disabled" | "rejected";
	/** Whether the model is not told of it. */
	readonly hidden: boolean;
	/** The absolute path of the agent file that is in force, if there is one. */
	readonly file?: string;
}

/** A type that a program makes. */
export type AgentTypeDefinition = Omit<AgentDefinition, "source">;

/** A type was registered. */
export interface RegisterTypeAnswer {
	/** What is wrong with the definition without making it useless, one sentence each. */
	readonly problems: readonly string[];
	/** Takes it out again; what it replaced is back. Does nothing the second time. */
	unregister(): void;
}

/** What a workspace provider is for. */
export interface WorkspaceProviderOptions {
	/**
	 * The agent types that it serves.
	 * @defaultValue all of them
	 */
	readonly types?: readonly string[];
}

/** A workspace provider was registered. */
export interface RegisterProviderAnswer {
	/** Takes it out again; runs that it serves already are not affected. */
	unregister(): void;
}

/** What the service tells its subscribers, in this order for one run. `agent` is the agent as it is then. */
export type ServiceEvent =
	/** It is known; it is queued or about to run. */
	| { readonly type: "created"; readonly agent: AgentRecordSnapshot }
	/** It has ended before and was given a further task. */
	| { readonly type: "resumed"; readonly agent: AgentRecordSnapshot }
	/** It has a slot; its session is being made. */
	| { readonly type: "started"; readonly agent: AgentRecordSnapshot }
	/** Its session is ready and not prompted yet: the time to subscribe to it. */
	| {
			readonly type: "session";
			readonly agent: AgentRecordSnapshot;
			readonly session: ObservableSession;
	  }
	| {
			readonly type: "compacted";
			readonly agent: AgentRecordSnapshot;
			readonly reason: CompactionReason;
			readonly tokensBefore: number;
	  }
	/** A message to it was accepted. */
	| { readonly type: "steered"; readonly agent: AgentRecordSnapshot; readonly message: string }
	/** It was stopped; the run may take a moment to end. */
	| { readonly type: "stopping"; readonly agent: AgentRecordSnapshot }
	/** Its run is over. There is one for every run, also for one that never started. */
	| { readonly type: "ended"; readonly agent: AgentRecordSnapshot }
	/** The service is stale from now on; nothing follows. */
	| { readonly type: "closed" };

/**
 * The sub-agents of one session of pi, for its other extensions. It goes the same way as the calls of the model: the same
 * types, settings, limits, queue, veto and transcripts, and `/agents` shows what it starts.
 *
 * It ends with its session: after `/reload`, `/new`, `/resume` and `/fork` every method answers `stale`, and agents go on
 * being known to the next service of the same session file. So do not keep it; ask `getSubagentsService` when you need it.
 */
export interface SubagentsService {
	readonly version: ServiceVersion;
	/** Whether its session has ended. */
	readonly isStale: boolean;
	/** The service as `wanted` describes it, or `undefined` if this release does not speak that version. */
	negotiate(wanted: ServiceVersion): SubagentsService | undefined;

	/** Starts an agent of the main session, or queues it, and resolves then. Its end is told by {@link wait} or {@link subscribe}. */
	spawn(request: SpawnRequestOptions): Promise<Answer<BegunAnswer>>;
	/** Gives an ended agent a further task; also one of an earlier process that the session knows. */
	resume(id: string, request: RunRequest): Promise<Answer<BegunAnswer>>;
	/** Sends a message to a queued or running agent, which reads it after its current tool calls. */
	steer(id: string, message: string): Promise<Answer<SteerAnswer>>;
	/** Stops an agent and resolves when its run is over; what it had is kept. */
	stop(id: string): Promise<Answer<AgentAnswer>>;
	/** Resolves when the agent's run is over, at once if it is. If `signal` aborts, it is `refused`, and the agent goes on. */
	wait(id: string, signal?: AbortSignal): Promise<Answer<AgentAnswer>>;
	/** Resolves when no agent of the session is queued or running. */
	waitForAll(
		signal?: AbortSignal,
	): Promise<Answer<{ readonly agents: readonly AgentRecordSnapshot[] }>>;

	/** One agent as it is now. */
	get(id: string): Answer<AgentAnswer>;
	/** All agents of the session, those of agents included, in the order in which they were made; none if the service is stale. */
	list(): readonly AgentRecordSnapshot[];
	/**
	 * Calls `listener` for every event, or for those of one agent, until the returned function is called. What it throws is
	 * reported and disturbs nobody. A stale service sends `closed` at once.
	 */
	subscribe(listener: (event: ServiceEvent) => void, id?: string): () => void;

	/** All types of agents, as their files are now, also those that cannot be started; none if the service is stale. */
	listTypes(): Promise<readonly AgentType[]>;
	/** Adds a type for as long as the session lives. It replaces one of the same name. `owner` names who registers it. */
	registerType(definition: AgentTypeDefinition, owner: string): Answer<RegisterTypeAnswer>;
	/**
	 * From now on `provider` instead of git worktrees gives agents with isolation `worktree` a place to work in, for as long
	 * as the session lives. The last one that serves a type counts.
	 */
	registerWorkspaceProvider(
		provider: WorkspaceProvider,
		options?: WorkspaceProviderOptions,
	): Answer<RegisterProviderAnswer>;
}
