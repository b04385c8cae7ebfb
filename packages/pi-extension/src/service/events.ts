import type { AgentStatus, CompactionReason, OutcomeReason, Usage } from "@pi-subagents/core";
import type { ServiceVersion } from "./api.js";

/** What every event of an agent carries. */
export interface AgentEvent {
	/** The agent's id, the same for all runs of the agent. */
	readonly id: string;
	/** The name of its definition. */
	readonly type: string;
	/** Three to five words for people. */
	readonly description: string;
	/** The agent that started it; absent for those of the main session. */
	readonly parentId?: string;
}

/** `subagents:completed` and `subagents:failed`. */
export interface AgentEndEvent extends AgentEvent {
	readonly status: string;
	readonly reason?: OutcomeReason;
	/** The text of the run; partial unless the status is `completed` or `steered`. */
	readonly result?: string;
	/** In the words of the provider or the host. */
	readonly error?: string;
	/** Over all runs. */
	readonly toolUses: number;
	/** Over all runs. */
	readonly turnCount: number;
	/** Of this run, in milliseconds; 0 if it never started. */
	readonly durationMs: number;
	/** Over all runs: tokens, and US dollars in `cost`. */
	readonly usage: Readonly<Usage>;
	/** input + output + cacheWrite */
	readonly totalTokens: number;
}

/** `subagents:compacted` */
export interface AgentCompactedEvent extends AgentEvent {
	readonly reason: CompactionReason;
	/** Tokens of the conversation before. */
	readonly tokensBefore: number;
}

/** `subagents:steered` */
export interface AgentSteeredEvent extends AgentEvent {
	readonly message: string;
}

/** What is going to be started, before anything of it is made. */
export interface SpawnRequest {
	/** The name of the definition. */
	readonly type: string;
	/** Three to five words for people. */
	readonly description: string;
	/** The task, as the agent will get it. */
	readonly prompt: string;
	/** The directory that it would work in, before a worktree of its own is made. */
	readonly cwd: string;
	/** `provider/id` */
	readonly model: string;
	readonly isolation: "none" | "worktree";
	readonly background: boolean;
	/** 1 for agents of the main session. */
	readonly depth: number;
	/** The agent that asks; absent for the main session. */
	readonly parentId?: string;
	/** The session that asks. */
	readonly parentSessionId: string;
	/** The id of the agent that gets a further task; absent for a new agent. */
	readonly resume?: string;
}

/** `subagents:spawning` */
export interface SpawningEvent extends SpawnRequest {
	/** Forbids it; the model that asks is told the reason. The first reason counts. */
	veto(reason: string): void;
	/**
	 * Lets everybody wait for `decision`, because the bus itself waits for nobody: call it before the first `await` of a
	 * handler. If it rejects, or takes too long, the agent is not started.
	 */
	waitUntil(decision: PromiseLike<unknown>): void;
}

/**
 * What every `subagents:child:*` event says about a child session. `spawning`: it is about to be made.
 * `session-created`: it exists, and none of its extensions has run a hook yet. `bound`: its extensions have started and
 * its tools are settled; the first prompt follows. `completed`: its run is over. `disposed`: it is gone.
 */
export interface ChildEvent extends AgentEvent {
	/** 1 for agents of the main session. */
	readonly depth: number;
	/** The session that started it. */
	readonly parentSessionId: string;
	/** The directory that it works in. */
	readonly cwd: string;
	/** Whether the agent goes on with an earlier conversation. */
	readonly resumed: boolean;
	/** Of the child; absent in `spawning`. */
	readonly sessionId?: string;
	/** Of the child; absent in `spawning`, and for a conversation that is not stored. */
	readonly sessionFile?: string;
}

/** `subagents:child:bound` */
export interface ChildBoundEvent extends ChildEvent {
	/** The tools that the child's model has. */
	readonly tools: readonly string[];
}

/** `subagents:child:completed` */
export interface ChildCompletedEvent extends ChildEvent {
	readonly status: AgentStatus;
	readonly reason?: OutcomeReason;
}

/** All `subagents:child:*` events by the last part of their name. */
export interface ChildEvents {
	readonly spawning: ChildEvent;
	readonly "session-created": ChildEvent;
	readonly bound: ChildBoundEvent;
	readonly completed: ChildCompletedEvent;
	readonly disposed: ChildEvent;
}

/** `subagents:settings_loaded` and `subagents:settings_changed` */
export interface SettingsEvent {
	/** The settings that are in force, by their names in `subagents.json`. */
	readonly settings: Readonly<Record<string, unknown>>;
}

/** `subagents:ready` */
export interface ReadyEvent {
	readonly version: ServiceVersion;
}

/** What is sent on `pi.events`, by the names of the events. */
export interface SubagentsEvents {
	/** The service of a session is there: after each start of a session, `/reload` included. */
	readonly "subagents:ready": ReadyEvent;
	/** Before anything of an agent is made; it can be forbidden. */
	readonly "subagents:spawning": SpawningEvent;
	/** An agent is known; it is queued or about to run. */
	readonly "subagents:created": AgentEvent;
	/** An ended agent was given a further task. */
	readonly "subagents:resumed": AgentEvent;
	/** It has a slot; its session is being made. */
	readonly "subagents:started": AgentEvent;
	/** A message to it was accepted. */
	readonly "subagents:steered": AgentSteeredEvent;
	readonly "subagents:compacted": AgentCompactedEvent;
	/** It is `completed` or `steered`. */
	readonly "subagents:completed": AgentEndEvent;
	/** It ended in any other way. */
	readonly "subagents:failed": AgentEndEvent;
	readonly "subagents:child:spawning": ChildEvents["spawning"];
	readonly "subagents:child:session-created": ChildEvents["session-created"];
	readonly "subagents:child:bound": ChildEvents["bound"];
	readonly "subagents:child:completed": ChildEvents["completed"];
	readonly "subagents:child:disposed": ChildEvents["disposed"];
	readonly "subagents:settings_loaded": SettingsEvent;
	readonly "subagents:settings_changed": SettingsEvent;
}
