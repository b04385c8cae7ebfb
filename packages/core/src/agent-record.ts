import type { AgentOutcome } from "./outcome.js";
import { type AgentStatus, canTransition, isTerminal } from "./status.js";
import { addUsage, emptyUsage, type HostUsage, type Usage } from "./usage.js";

/** What a record is made of; also its plain JSON form. Times are milliseconds since the epoch. */
export interface AgentRecordSnapshot {
	readonly id: string;
	/** The name of the agent definition. */
	readonly type: string;
	/** Three to five words for people. */
	readonly description: string;
	readonly status: AgentStatus;
	/** How the last run ended; only in a terminal status. */
	readonly outcome?: AgentOutcome;
	/** The text of the last run; partial unless the outcome says otherwise. */
	readonly result?: string;
	/** What went wrong in the last run, in the words of the provider or the host. */
	readonly error?: string;
	readonly createdAt: number;
	/** When the last run started; absent while the agent has never run. */
	readonly startedAt?: number;
	/** When the last run ended. */
	readonly completedAt?: number;
	/** Tool calls that ended, whatever their outcome, over all runs. */
	readonly toolUses: number;
	/** Turns that ended, over all runs. */
	readonly turnCount: number;
	readonly compactionCount: number;
	/** Over all runs. */
	readonly lifetimeUsage: Readonly<Usage>;
	/** How many runs were asked for: the first one and each resume, also those that were stopped before they started. */
	readonly runCount: number;
	/** The agent that started this one, if it was not the main session. */
	readonly parentId?: string;
	/** The file that the agent's conversation is stored in. */
	readonly sessionFile?: string;
}

/** What a new record needs; everything else that is absent or `undefined` starts empty. */
export type AgentRecordInit = Pick<AgentRecordSnapshot, "id" | "type" | "description"> & {
	readonly [K in keyof AgentRecordSnapshot]?: AgentRecordSnapshot[K] | undefined;
};

/** How the end of a run is told to its record. */
export interface RunEnd {
	readonly outcome: AgentOutcome;
	readonly result?: string | undefined;
	readonly error?: string | undefined;
}

/** A record was told to go where its state machine does not lead. */
export class IllegalTransitionError extends Error {
	override readonly name = "IllegalTransitionError";
}

/** Options of a record. */
export interface AgentRecordOptions {
	/**
	 * Called instead of the transition when it is not allowed. By default the error is thrown, which is right for tests;
	 * a program that must go on logs it.
	 */
	readonly onRefused?: (error: IllegalTransitionError) => void;
}

/**
 * One agent: what it is, where it is in its life, and what it has used. The only state that outlives its runs.
 *
 * Status changes go through {@link markQueued}, {@link markRunning} and {@link markEnded}; statistics through the `add`
 * methods. Everything read from a record is a copy or immutable.
 */
export class AgentRecord {
	readonly id: string;
	readonly type: string;
	readonly description: string;
	readonly createdAt: number;
	readonly parentId: string | undefined;
	readonly #usage: Usage = emptyUsage();
	readonly #onRefused: (error: IllegalTransitionError) => void;
	#status: AgentStatus;
	#outcome: AgentOutcome | undefined;
	#result: string | undefined;
	#error: string | undefined;
	#startedAt: number | undefined;
	#completedAt: number | undefined;
	#toolUses: number;
	#turnCount: number;
	#compactionCount: number;
	#runCount: number;
	#sessionFile: string | undefined;
	/** A stop is said at once; the run ends later and may still bring its partial text. */
	#lateEndExpected = false;

	/** Restores a snapshot, or makes a new record, which is `queued` unless `init` says otherwise. */
	constructor(init: AgentRecordInit, options: AgentRecordOptions = {}) {
		this.id = init.id;
		this.type = init.type;
		this.description = init.description;
		this.createdAt = init.createdAt ?? init.startedAt ?? 0;
		this.parentId = init.parentId;
		this.#onRefused = options.onRefused ?? fail;
		this.#status = init.status ?? "queued";
		this.#outcome = init.outcome;
		this.#result = init.result;
		this.#error = init.error;
		this.#startedAt = init.startedAt;
		this.#completedAt = init.completedAt;
		this.#toolUses = init.toolUses ?? 0;
		this.#turnCount = init.turnCount ?? 0;
		this.#compactionCount = init.compactionCount ?? 0;
		this.#runCount = init.runCount ?? 1;
		this.#sessionFile = init.sessionFile;
		addUsage(this.#usage, init.lifetimeUsage);
	}

	get status(): AgentStatus {
		return this.#status;
	}
	/** How the last run ended, if it did. */
	get outcome(): AgentOutcome | undefined {
		return this.#outcome;
	}
	/** The text of the last run. */
	get result(): string | undefined {
		return this.#result;
	}
	/** What went wrong in the last run. */
	get error(): string | undefined {
		return this.#error;
	}
	/** When the last run started, in milliseconds since the epoch. */
	get startedAt(): number | undefined {
		return this.#startedAt;
	}
	/** When the last run ended, in milliseconds since the epoch. */
	get completedAt(): number | undefined {
		return this.#completedAt;
	}
	get toolUses(): number {
		return this.#toolUses;
	}
	get turnCount(): number {
		return this.#turnCount;
	}
	get compactionCount(): number {
		return this.#compactionCount;
	}
	get runCount(): number {
		return this.#runCount;
	}
	get sessionFile(): string | undefined {
		return this.#sessionFile;
	}
	/** A copy. */
	get lifetimeUsage(): Readonly<Usage> {
		return { ...this.#usage };
	}
	/** Whether the agent has ended. */
	get isTerminal(): boolean {
		return isTerminal(this.#status);
	}

	/** From a terminal status: a resume waits for a slot. The last run's result stays readable until the next one starts. */
	markQueued(): boolean {
		if (!this.#transition("queued")) return false;
		this.#runCount++;
		return true;
	}

	/** A run starts; what the last one left is cleared. */
	markRunning(now: number): boolean {
		const resumed = this.isTerminal;
		if (!this.#transition("running")) return false;
		if (resumed) this.#runCount++;
		this.#startedAt = now;
		this.#completedAt = undefined;
		this.#outcome = undefined;
		this.#result = undefined;
		this.#error = undefined;
		this.#lateEndExpected = false;
		return true;
	}

	/**
	 * A run ended, or was stopped. A run that ends after it was stopped keeps `stopped` and adds its partial text, and to
	 * the outcome what was not known yet; that happens once.
	 */
	markEnded(end: RunEnd, now: number): boolean {
		if (this.#status === "stopped" && this.#lateEndExpected) {
			this.#lateEndExpected = false;
			if (end.outcome.status === "stopped") this.#outcome = { ...end.outcome, ...this.#outcome };
			this.#result ??= end.result;
			this.#error ??= end.error;
			return true;
		}
		const wasRunning = this.#status === "running";
		if (!this.#transition(end.outcome.status)) return false;
		this.#lateEndExpected = wasRunning && end.outcome.status === "stopped";
		this.#outcome = end.outcome;
		this.#result = end.result;
		this.#error = end.error;
		this.#completedAt = now;
		return true;
	}

	/** One tool call ended. */
	addToolUse(): void {
		this.#toolUses++;
	}
	/** One turn ended. */
	addTurn(): void {
		this.#turnCount++;
	}
	/** The conversation was compacted. */
	addCompaction(): void {
		this.#compactionCount++;
	}
	/** Adds what one assistant message used; see {@link addUsage}. */
	addUsage(usage: HostUsage | null | undefined): void {
		addUsage(this.#usage, usage);
	}
	/** The conversation is stored in this file from now on. */
	setSessionFile(file: string | undefined): void {
		this.#sessionFile = file;
	}

	/** The record as plain JSON: what the constructor restores. */
	toSnapshot(): AgentRecordSnapshot {
		return withoutUndefined({
			id: this.id,
			type: this.type,
			description: this.description,
			status: this.#status,
			outcome: this.#outcome && { ...this.#outcome },
			result: this.#result,
			error: this.#error,
			createdAt: this.createdAt,
			startedAt: this.#startedAt,
			completedAt: this.#completedAt,
			toolUses: this.#toolUses,
			turnCount: this.#turnCount,
			compactionCount: this.#compactionCount,
			lifetimeUsage: this.lifetimeUsage,
			runCount: this.#runCount,
			parentId: this.parentId,
			sessionFile: this.#sessionFile,
		});
	}

	#transition(to: AgentStatus): boolean {
		if (!canTransition(this.#status, to)) {
			const message = `Agent ${this.id} cannot go from ${this.#status} to ${to}.`;
			this.#onRefused(new IllegalTransitionError(message));
			return false;
		}
		this.#status = to;
		return true;
	}
}

function fail(error: Error): never {
	throw error;
}

type WithoutUndefined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

function withoutUndefined<T extends object>(object: T): WithoutUndefined<T> {
	return Object.fromEntries(
		Object.entries(object).filter(([, value]) => value !== undefined),
	) as WithoutUndefined<T>;
}
