import {
	AgentRecord,
	type AgentRecordSnapshot,
	isTerminal,
	type StopReason,
	type SubagentSession,
	type WorkspaceReport,
} from "@pi-subagents/core";
import { subscribeRecordObserver } from "@pi-subagents/observers";
import { addAbortListener } from "./abort-listener.js";
import { type Clock, startPause, systemClock } from "./clock.js";
import { toError, toStopReason } from "./ending.js";
import { createInbox, type Inbox } from "./inbox.js";
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
import { untilAborted, withResolvers } from "./promises.js";
import { type RunResult, runAgent } from "./run-agent.js";
import type { SlotRequest } from "./slots.js";

interface Agent<Context> {
	readonly record: AgentRecord;
	readonly spawn: RestoreOptions<Context>;
	/** Absent for a restored agent that was not resumed yet. */
	context: Context | undefined;
	run: ActiveRun | undefined;
	/** Kept after a run if sessions are kept. */
	session: SubagentSession | undefined;
	workspace: WorkspaceReport | undefined;
	/** Accepted, but not read before the last run ended. */
	unread: readonly string[];
}

/** What the first run of an agent and a resume have in common. */
type RunRequest = Omit<ResumeRequest<unknown>, "context">;

interface ActiveRun {
	readonly inbox: Inbox;
	readonly controller: AbortController;
	readonly ended: Promise<void>;
	readonly resolveEnded: () => void;
	readonly request: RunRequest;
	readonly resumed: boolean;
	stopListening: () => void;
	slot: SlotRequest | undefined;
}

/**
 * All agents of one program: starts, queues, steers, stops, resumes and remembers them. The first prompt of an agent and
 * a resume are the same thing: a run, with one way in and one way out.
 *
 * `Context` is what the program's `createSession` needs to know of an agent.
 */
export class AgentManager<Context = undefined> {
	readonly #options: AgentManagerOptions<Context>;
	readonly #clock: Clock;
	readonly #graceMs: number;
	readonly #agents = new Map<string, Agent<Context>>();
	readonly #events = createEmitter<ManagerEvent>((error) =>
		this.#log("A subscriber of the agent manager failed.", error),
	);
	readonly #lanes: Lanes;
	#disposed = false;

	constructor(options: AgentManagerOptions<Context>) {
		this.#options = options;
		this.#clock = options.clock ?? systemClock;
		this.#graceMs = (options.graceSeconds ?? 5) * 1000;
		this.#lanes = createLanes(options.maxConcurrent ?? DEFAULT_MAX_CONCURRENT);
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
			{ onRefused: (error) => this.#log("An agent's status was not changed.", error) },
		);
		const agent = this.#add(record, options, options.context);
		this.#request(agent, options, false);
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
		this.#request(agent, { limits: agent.spawn.limits ?? {}, ...request }, true);
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
		if (agent === undefined) return "unknown";
		const { record, run } = agent;
		if (run === undefined || record.isTerminal) return "already_ended";
		const queued = record.status === "queued";
		const outcome = {
			status: "stopped",
			reason: by,
			...(queued && { neverStarted: true }),
		} as const;
		record.markEnded({ outcome }, this.#clock.now());
		if (queued) {
			agent.unread = run.inbox.takeUnread();
			this.#finish(agent, run, undefined);
			return "stopped";
		}
		this.#events.emit({ type: "run_stopping", record });
		run.controller.abort(by);
		return "stopping";
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
		const record = new AgentRecord(snapshot, {
			onRefused: (error) => this.#log("An agent's status was not changed.", error),
		});
		if (!isTerminal(record.status)) {
			const neverStarted = record.status === "queued" && { neverStarted: true };
			const outcome = { status: "error", reason: "interrupted", ...neverStarted } as const;
			record.markEnded({ outcome, result: snapshot.result }, this.#clock.now());
		}
		this.#add(record, options, undefined);
		return record;
	}

	/** Stops everything, waits until it is over, and closes all sessions. The records stay readable. */
	async dispose(): Promise<void> {
		this.#disposed = true;
		this.abortAll("shutdown");
		await this.waitForAll();
		await Promise.all([...this.#agents.values()].map((agent) => this.#closeSession(agent)));
	}

	#add(
		record: AgentRecord,
		spawn: RestoreOptions<Context>,
		context: Context | undefined,
	): Agent<Context> {
		if (this.#agents.has(record.id)) throw new Error(`There is already an agent ${record.id}.`);
		const agent: Agent<Context> = {
			record,
			spawn,
			context,
			run: undefined,
			session: undefined,
			workspace: spawn.workspace,
			unread: spawn.unreadMessages ?? [],
		};
		this.#agents.set(record.id, agent);
		return agent;
	}

	#check(request: RunRequest): void {
		if (this.#disposed)
			throw new Error("The agent manager was disposed; it starts no more agents.");
		if (request.prompt.trim() === "") throw new TypeError("The prompt is empty; say what to do.");
		checkLimits(request.limits ?? {});
	}

	/** The one way in: a promise from now on, and a slot now or later. */
	#request(agent: Agent<Context>, request: RunRequest, resumed: boolean): void {
		const { promise: ended, resolve: resolveEnded } = withResolvers();
		const { signal } = request;
		const onAbort = (): void => {
			this.abort(agent.record.id, toStopReason(signal?.reason));
		};
		const run: ActiveRun = {
			inbox: createInbox(agent.unread),
			controller: new AbortController(),
			ended,
			resolveEnded,
			request,
			resumed,
			stopListening: () => {},
			slot: undefined,
		};
		agent.unread = [];
		agent.run = run;
		this.#events.emit({ type: resumed ? "agent_resumed" : "agent_created", record: agent.record });
		// Whoever was told may have stopped it.
		if (agent.run !== run) return;
		if (signal?.aborted) {
			onAbort();
			return;
		}
		if (signal) run.stopListening = addAbortListener(signal, onAbort);

		const start = (): void => void this.#execute(agent, run);
		if (request.bypassQueue) start();
		else {
			const { parentId } = agent.spawn;
			const lane = { background: request.background ?? false, parentId };
			run.slot = this.#lanes.request(lane, start);
		}
	}

	/** Never rejects. */
	async #execute(agent: Agent<Context>, run: ActiveRun): Promise<void> {
		const { record } = agent;
		record.markRunning(this.#clock.now());
		this.#events.emit({ type: "run_started", record });
		let result: RunResult | undefined;
		let failure: Error | undefined;
		try {
			result = await this.#run(agent, run);
			agent.workspace = result.workspace ?? agent.workspace;
			// A resume that got no session leaves the last one as it was.
			agent.session = result.session ?? agent.session;
			agent.unread = result.unreadMessages;
		} catch (error) {
			failure = toError(error);
		}
		const keep = (this.#options.keepSessions ?? true) && !result?.unresponsive;
		if (!keep) await this.#closeSession(agent);
		const outcome = result?.outcome ?? {
			status: "error" as const,
			reason: "failed" as const,
			detail: failure?.message ?? "unknown error",
		};
		const error = outcome.status === "error" ? outcome.detail : undefined;
		record.markEnded({ outcome, result: result?.text, error }, this.#clock.now());
		this.#finish(agent, run, result);
	}

	#run(agent: Agent<Context>, run: ActiveRun): Promise<RunResult> {
		const { record, spawn } = agent;
		const { workspaces } = this.#options;
		const cwd = spawn.cwd ?? process.cwd();
		const isolated = spawn.isolation === "worktree";
		const previous = agent.session;
		let stopObserving = (): void => {};

		return runAgent({
			prompt: run.request.prompt,
			description: record.description,
			limits: run.request.limits ?? {},
			signal: run.controller.signal,
			inbox: run.inbox,
			clock: this.#clock,
			graceSeconds: this.#graceMs / 1000,
			...(isolated && {
				prepareWorkspace: (signal: AbortSignal) => {
					if (workspaces === undefined) {
						return Promise.reject(new Error('There is no provider for isolation "worktree".'));
					}
					return workspaces.prepare({
						agentId: record.id,
						type: record.type,
						description: record.description,
						cwd,
						signal,
						...(agent.workspace && { previous: agent.workspace }),
					});
				},
			}),
			createSession: ({ signal, workspace }) =>
				run.resumed && previous !== undefined && workspace === undefined
					? Promise.resolve(previous)
					: this.#options.createSession({
							record,
							context: contextOf(agent),
							cwd: workspace?.cwd ?? cwd,
							...(workspace && { workspace }),
							signal,
							resume: run.resumed,
							...(previous && { previous }),
						}),
			onSessionCreated: (session) => {
				if (previous !== undefined && previous !== session) void this.#dispose(record, previous);
				agent.session = session;
				record.setSessionFile(session.sessionFile ?? record.sessionFile);
				stopObserving = subscribeRecordObserver(session, record, {
					onCompact: (_, compaction) =>
						this.#events.emit({ type: "compacted", record, compaction }),
				});
				this.#events.emit({ type: "session_created", record, session });
				spawn.onSessionCreated?.(session);
			},
		}).finally(() => stopObserving());
	}

	/** The one way out, also for a run that never started. */
	#finish(agent: Agent<Context>, run: ActiveRun, result: RunResult | undefined): void {
		const { record } = agent;
		run.inbox.close();
		run.stopListening();
		agent.run = undefined;
		// Told before the slot is free, so that no subscriber sees more runs than there are slots.
		this.#events.emit({ type: "run_ended", record, result });
		run.slot?.release();
		run.resolveEnded();
	}

	/** Never rejects and never hangs: a session whose disposal takes too long is left to itself. */
	async #closeSession(agent: Agent<Context>): Promise<void> {
		const { session, record } = agent;
		agent.session = undefined;
		if (session === undefined) return;
		record.setSessionFile(session.sessionFile ?? record.sessionFile);
		const grace = startPause(this.#clock, this.#graceMs);
		await Promise.race([this.#dispose(record, session), grace.over]);
		grace.end();
	}

	#dispose(record: AgentRecord, session: SubagentSession): Promise<void> {
		return new Promise<void>((resolve) => resolve(session.dispose())).catch((error: unknown) =>
			this.#log(`The session of agent ${record.id} was not closed.`, error),
		);
	}

	#log(message: string, error: unknown): void {
		const log = this.#options.log ?? warn;
		log(message, toError(error));
	}
}

function contextOf<Context>(agent: Agent<Context>): Context {
	// `undefined` may be the program's own choice of a context; a restored agent has none at all.
	return agent.context as Context;
}

function randomId(): string {
	return crypto.randomUUID().slice(0, 8);
}

function warn(message: string, error: Error): void {
	process.emitWarning(`${message} ${error.message}`);
}
