import {
	AgentRecord,
	type AgentRecordOptions,
	type AgentRecordSnapshot,
	type StopReason,
	type SubagentSession,
	type WorkspaceReport,
} from "@pi-subagents/core";
import { type AgentEntry, createEntry, type RunRequest } from "./agent-entry.js";
import { type Clock, systemClock } from "./clock.js";
import { type ReachedLimit, toError } from "./ending.js";
import { createLanes, type Lanes } from "./lanes.js";
import { checkLimits } from "./limits.js";
import { createEmitter, type ManagerEvent } from "./manager-events.js";
import {
	type AgentManagerOptions,
	DEFAULT_MAX_CONCURRENT,
	type RestoreOptions,
	type ResumeAnswer,
	type ResumeRequest,
	type SpawnOptions,
	type SteerAnswer,
	type StopAnswer,
} from "./manager-options.js";
import { untilAborted } from "./promises.js";
import { restoreRecord } from "./restore-record.js";
import { DEFAULT_GRACE_SECONDS } from "./run-options.js";
import { createRunPath, type RunPath } from "./run-path.js";
import { createSessionClosing, type SessionClosing } from "./session-closing.js";

/**
 * All agents of one program: starts, queues, steers, stops, resumes and remembers them. The first prompt of an agent and
 * a resume are the same thing: a run, with one way in and one way out.
 *
 * `Context` is what the program's `createSession` needs to know of an agent.
 */
export class AgentManager<Context = undefined> {
	readonly #options: AgentManagerOptions<Context>;
	readonly #clock: Clock;
	readonly #agents = new Map<string, AgentEntry<Context>>();
	readonly #events = createEmitter<ManagerEvent>((error) =>
		this.#log("A subscriber of the agent manager failed.", error),
	);
	readonly #recordOptions: AgentRecordOptions = {
		onRefused: (error) => this.#log("An agent's status was not changed.", error),
	};
	readonly #lanes: Lanes;
	readonly #sessions: SessionClosing;
	readonly #runs: RunPath<Context>;
	#disposed = false;

	constructor(options: AgentManagerOptions<Context>) {
		const clock = options.clock ?? systemClock;
		const graceSeconds = options.graceSeconds ?? DEFAULT_GRACE_SECONDS;
		const log = (message: string, error: unknown): void => this.#log(message, error);
		const events = this.#events;
		this.#options = options;
		this.#clock = clock;
		this.#lanes = createLanes(options.maxConcurrent ?? DEFAULT_MAX_CONCURRENT);
		this.#sessions = createSessionClosing(clock, graceSeconds * 1000, log);
		const parts = { options, clock, graceSeconds, events, sessions: this.#sessions, log };
		this.#runs = createRunPath(parts, this.#lanes);
	}

	/**
	 * Starts or queues a new agent and returns its id. Throws for an empty prompt, a bad limit, an id that is taken or a
	 * disposed manager; whatever happens later is in the record.
	 */
	spawn(options: SpawnOptions<Context>): string {
		this.#check(options);
		const record = new AgentRecord(
			{
				id: (this.#options.newId ?? randomId)(),
				type: options.type,
				description: options.description,
				createdAt: this.#clock.now(),
				...(options.parentId === undefined ? {} : { parentId: options.parentId }),
			},
			this.#recordOptions,
		);
		const agent = this.#add(record, options, options.context);
		this.#runs.begin(agent, options, false);
		return record.id;
	}

	/** Starts a new agent and waits for the end of its run. */
	spawnAndWait(options: SpawnOptions<Context>): Promise<AgentRecord> {
		return this.wait(this.spawn(options));
	}

	/** Gives an ended agent a further task. Throws for an empty prompt or a bad limit; wait with {@link wait}. */
	resume(id: string, request: ResumeRequest<Context>): ResumeAnswer {
		const agent = this.#agents.get(id);
		if (agent === undefined) return "unknown";
		this.#check(request);
		if (agent.run !== undefined) return "not_ended";
		agent.context = request.context ?? agent.context;
		agent.record.markQueued();
		this.#runs.begin(agent, { limits: agent.spawn.limits ?? {}, ...request }, true);
		return "started";
	}

	/** Sends a message to a queued or running agent. Rejects with what its session rejected with. */
	async steer(id: string, message: string): Promise<SteerAnswer> {
		const agent = this.#agents.get(id);
		if (agent === undefined) return "unknown";
		if (agent.run === undefined || agent.record.isTerminal) return "ended";
		const delivery = await agent.run.inbox.send(message);
		if (delivery === "closed") return "ended";
		this.#events.emit({ type: "steered", record: agent.record, message });
		return delivery;
	}

	/** Stops an agent. The record says so at once; {@link wait} tells when the run is really over. */
	abort(id: string, by: StopReason = "program"): StopAnswer {
		const agent = this.#agents.get(id);
		return agent === undefined ? "unknown" : this.#runs.stop(agent, by);
	}

	/**
	 * Ends an agent's run like a limit of its own does: its text is kept, and it is `aborted`, or completed if its answer was
	 * whole. One in the queue is `stopped` before it starts.
	 */
	cutOff(id: string, limit: ReachedLimit): StopAnswer {
		const agent = this.#agents.get(id);
		return agent === undefined ? "unknown" : this.#runs.cutOff(agent, limit);
	}

	/** Stops every queued and running agent, queued ones first so that none starts, and returns how many. */
	abortAll(by: StopReason = "program"): number {
		const alive = this.listAgents().filter((record) => !record.isTerminal);
		const queued = alive.filter((record) => record.status === "queued");
		const running = alive.filter((record) => record.status === "running");
		for (const record of [...queued, ...running]) this.abort(record.id, by);
		return alive.length;
	}

	/**
	 * Resolves when the agent's current run is over: its record says how it ended, and its slot is free. At once if there
	 * is none. Rejects for an unknown id, and with the signal's reason when `signal` aborts; the agent goes on then.
	 */
	async wait(id: string, signal?: AbortSignal): Promise<AgentRecord> {
		const agent = this.#agents.get(id);
		if (agent === undefined) throw new Error(`There is no agent ${id}.`);
		signal?.throwIfAborted();
		const ended = agent.run?.ended ?? Promise.resolve();
		if (signal === undefined) await ended;
		else await untilAborted(ended, signal);
		return agent.record;
	}

	/** Resolves when no agent is queued or running any more, those included that start meanwhile. */
	async waitForAll(): Promise<void> {
		for (;;) {
			const runs = [...this.#agents.values()].flatMap((agent) => agent.run?.ended ?? []);
			if (runs.length === 0) return;
			await Promise.all(runs);
		}
	}

	getRecord(id: string): AgentRecord | undefined {
		return this.#agents.get(id)?.record;
	}

	/** All agents, in the order in which they were made. */
	listAgents(): readonly AgentRecord[] {
		return [...this.#agents.values()].map((agent) => agent.record);
	}

	/** Whether no run of the agent goes on; one that was stopped may still be ending. */
	isOver(id: string): boolean {
		return this.#agents.get(id)?.run === undefined;
	}

	/** The open session of an agent, if there is one. */
	getSession(id: string): SubagentSession | undefined {
		return this.#agents.get(id)?.session;
	}

	/** What became of the workspace of the agent's last run. */
	getWorkspace(id: string): WorkspaceReport | undefined {
		return this.#agents.get(id)?.workspace;
	}

	/** Messages that were accepted, but not read before the last run ended; a resume reads them. */
	getUnreadMessages(id: string): readonly string[] {
		return this.#agents.get(id)?.unread ?? [];
	}

	/** How many runs may go on at once in the background. Throws a `RangeError` unless it is a whole number of 1 or more. */
	setMaxConcurrent(limit: number): void {
		this.#lanes.setLimit(limit);
	}

	/** Calls `listener` for every event until the returned function is called. What it throws is logged. */
	subscribe(listener: (event: ManagerEvent) => void): () => void {
		return this.#events.subscribe(listener);
	}

	/**
	 * Takes in an agent of an earlier process. One that had not ended is `interrupted`. Nothing is emitted.
	 * A resume is made from `options` and from the context that it brings. Throws for an id that is taken.
	 */
	restore(snapshot: AgentRecordSnapshot, options: RestoreOptions<Context>): AgentRecord {
		const record = restoreRecord(snapshot, this.#clock.now(), this.#recordOptions);
		this.#add(record, options, undefined);
		return record;
	}

	/** Stops everything, waits until it is over, and closes all sessions. The records stay readable. */
	async dispose(): Promise<void> {
		this.#disposed = true;
		this.abortAll("shutdown");
		await this.waitForAll();
		await Promise.all([...this.#agents.values()].map((agent) => this.#sessions.close(agent)));
	}

	#add(
		record: AgentRecord,
		spawn: RestoreOptions<Context>,
		context: Context | undefined,
	): AgentEntry<Context> {
		if (this.#agents.has(record.id)) throw new Error(`There is already an agent ${record.id}.`);
		const agent = createEntry(record, spawn, context);
		this.#agents.set(record.id, agent);
		return agent;
	}

	#check(request: RunRequest): void {
		if (this.#disposed)
			throw new Error("The agent manager was disposed; it starts no more agents.");
		if (request.prompt.trim() === "") throw new TypeError("The prompt is empty; say what to do.");
		checkLimits(request.limits ?? {});
	}

	#log(message: string, error: unknown): void {
		const log = this.#options.log ?? warn;
		log(message, toError(error));
	}
}

function randomId(): string {
	return crypto.randomUUID().slice(0, 8);
}

function warn(message: string, error: Error): void {
	process.emitWarning(`${message} ${error.message}`);
}
