import type { SessionEntry } from "@mariozechner/pi-coding-agent";
import type { AgentRecord } from "@pi-subagents/core";
import { AgentManager } from "@pi-subagents/runner";
import { fakeClock, type MockSession, mockSession } from "@pi-subagents/test-helpers";
import { type AgentBook, createAgentBook, readStoredAgents } from "../src/agent-book.js";
import { createAnswers, type Result, type ScopedParts } from "../src/answers.js";
import { createDeliveries, type Deliveries } from "../src/delivery/deliveries.js";
import { createReading, type Reading } from "../src/reading.js";
import { MAIN_SCOPE } from "../src/scope.js";
import { createActivityStore } from "../src/ui/activity-store.js";
import { createWarnings } from "../src/warnings.js";

const LAUNCH = {
	cwd: "/project",
	model: "mock/m1",
	isolated: false,
	isolation: "none",
	limits: {},
} as const;

/** For parts that reading, waiting and telling make no use of. */
const UNUSED = undefined as never;

/** How a parent session is set up. */
export interface ParentOptions {
	/** How long the session of an agent takes to be made, in milliseconds. */
	readonly makingMs?: () => number;
	/** How long an agent that is stopped goes on, in milliseconds. */
	readonly stoppingMs?: () => number;
}

/** A parent session: what it was told, whether it runs, and the entries that outlive a reload. */
export class Parent {
	/** `<id>#<run>` for each end of a run that its model got to know. */
	readonly told: string[] = [];
	readonly clock = fakeClock();
	readonly sessions = new Map<string, MockSession>();
	/** Messages that were accepted for agents. */
	readonly accepted: string[] = [];
	/** Messages that agents got. */
	readonly received: string[] = [];
	wakeUps = 0;
	running = false;
	readonly #options: ParentOptions;
	readonly #waits: Promise<unknown>[] = [];
	readonly #waiting = new Set<AbortController>();
	#entries: SessionEntry[] = [];
	#ids = 0;
	#messages = 0;
	#manager!: AgentManager<never>;
	#book!: AgentBook;
	#deliveries!: Deliveries;
	#reading!: Reading;

	constructor(options: ParentOptions = {}) {
		this.#options = options;
		this.#open();
	}

	#open(): void {
		const { clock } = this;
		// A process that died writes nothing into what the next one reads.
		const entries = this.#entries;
		const manager = new AgentManager<never>({
			createSession: async ({ record }) => {
				await this.#pause(this.#options.makingMs?.() ?? 0);
				const session = this.#makeSession();
				if (this.#manager === manager) this.sessions.set(record.id, session);
				return session;
			},
			keepSessions: false,
			maxConcurrent: 3,
			clock,
			newId: () => `a${++this.#ids}`,
		});
		this.#manager = manager;
		const append = (customType: string, data?: unknown): void => {
			// As JSON, like a session file.
			const entry = JSON.stringify({ type: "custom", customType, data });
			entries.push(JSON.parse(entry));
		};
		const book = createAgentBook(append, (id) => ({
			unreadMessages: manager.getUnreadMessages(id),
		}));
		const deliveries = createDeliveries({
			book,
			clock,
			agents: () => manager.listAgents(),
			isOver: ({ id }) => manager.isOver(id),
			isParentAtRest: () => !this.running,
			send: (records) => {
				this.wakeUps++;
				this.running = true;
				this.#hear(records);
			},
		});
		manager.subscribe((event) => {
			if (event.type === "agent_created") book.open(event.record, LAUNCH, true);
			if (event.type === "session_created" || event.type === "run_ended") book.store(event.record);
			if (event.type === "run_ended") deliveries.check();
		});
		for (const stored of readStoredAgents(entries)) {
			manager.restore(stored.record, { ...LAUNCH, unreadMessages: stored.unreadMessages });
			book.restore(stored);
		}
		const parts: ScopedParts = {
			manager,
			book,
			clock,
			scope: MAIN_SCOPE,
			activities: createActivityStore(manager, clock),
			warnings: createWarnings(),
			stalls: { of: () => undefined },
			catalog: UNUSED,
			boundary: UNUSED,
			surroundings: UNUSED,
			settings: UNUSED,
			mainBus: UNUSED,
			refreshTypes: UNUSED,
			untold: UNUSED,
			pi: UNUSED,
			ledger: UNUSED,
		};
		this.#book = book;
		this.#deliveries = deliveries;
		this.#reading = createReading(parts, createAnswers(parts));
	}

	#makeSession(): MockSession {
		const session: MockSession = mockSession({
			steer: (_, text) => void this.received.push(text),
			abort: async () => {
				await this.#pause(this.#options.stoppingMs?.() ?? 0);
				if (session.isStreaming) session.finishPrompt();
			},
		});
		return session;
	}

	#pause(ms: number): Promise<void> {
		if (ms === 0) return Promise.resolve();
		return new Promise((resolve) => void this.clock.setTimeout(resolve, ms));
	}

	#hear(records: readonly AgentRecord[]): void {
		for (const record of records) this.told.push(`${record.id}#${record.runCount}`);
	}

	get agents(): readonly AgentRecord[] {
		return this.#manager.listAgents();
	}

	/** Accepted messages that no agent got: they wait for a resume. */
	get unread(): readonly string[] {
		return this.agents.flatMap(({ id }) => this.#manager.getUnreadMessages(id));
	}

	spawn(): void {
		this.#manager.spawn({
			type: "t",
			description: "d",
			prompt: "p",
			context: UNUSED,
			background: true,
		});
	}

	/** The agent says something, which is its last message so far. */
	say(record: AgentRecord, text: string): void {
		const message = { role: "assistant", content: text, stopReason: "stop" };
		this.sessions.get(record.id)?.emit({ type: "message_end", message });
	}

	async finish(record: AgentRecord, text = "done"): Promise<void> {
		const session = this.sessions.get(record.id);
		if (!session?.isStreaming) return;
		this.say(record, text);
		session.finishPrompt();
		await this.clock.advance(0);
	}

	stop(record: AgentRecord): void {
		this.#manager.abort(record.id, "user");
	}

	steer(record: AgentRecord): void {
		const message = `message ${++this.#messages}`;
		const steered = this.#manager.steer(record.id, message).then((answer) => {
			if (answer === "kept" || answer === "delivered") this.accepted.push(message);
		});
		this.#waits.push(steered);
	}

	resume(record: AgentRecord): void {
		if (this.#book.isUntold(record)) return;
		const told = record.runCount;
		const answer = this.#manager.resume(record.id, { prompt: "more", background: true });
		if (answer === "started") this.#book.reopen(record, true, told);
	}

	/** The parent's model reads a result by itself, which it can only while it runs. */
	pull(record: AgentRecord, wait = false): void {
		if (!this.running) return;
		const interrupt = new AbortController();
		this.#waiting.add(interrupt);
		const request = { id: record.id, wait, timeoutSeconds: undefined, verbose: false, offset: 0 };
		const book = this.#book;
		const before = book.get(record.id)?.told ?? 0;
		const read = this.#reading.read(request, interrupt.signal).then(() => {
			this.#waiting.delete(interrupt);
			// It may be told by a notification while it is waited for.
			const run = `${record.id}#${record.runCount}`;
			const isTold = book.get(record.id)?.told === record.runCount;
			if (isTold && before < record.runCount && !this.told.includes(run)) this.told.push(run);
		});
		this.#waits.push(read);
	}

	/** What the parent's model reads of an agent, without waiting for it. */
	async readNow(id: string): Promise<string> {
		const request = { id, wait: false, timeoutSeconds: undefined, verbose: false, offset: 0 };
		return textOf(await this.#reading.read(request, undefined));
	}

	/** The same, waiting for its end at most so long. */
	async readWithin(id: string, timeoutSeconds: number, signal?: AbortSignal): Promise<string> {
		const request = { id, wait: true, timeoutSeconds, verbose: false, offset: 0 };
		return textOf(await this.#reading.read(request, signal));
	}

	/** The run of the parent comes to its end, and with it what it waits for; on pi 1.x it goes on if something is due. */
	async settle(askBefore: boolean): Promise<void> {
		if (!this.running) return;
		await this.#interrupt();
		if (askBefore) {
			const due = this.#deliveries.take();
			this.#hear(due);
			if (due.length > 0) return;
		}
		this.running = false;
		this.#deliveries.check();
	}

	async #interrupt(): Promise<void> {
		for (const each of this.#waiting) each.abort();
		await this.clock.advance(0);
	}

	async reload(): Promise<void> {
		await this.#interrupt();
		this.#deliveries.stop();
		const disposed = this.#manager.dispose();
		await this.clock.advance(10_000);
		await disposed;
		this.running = false;
		this.#open();
	}

	/** The process dies: nothing is told to anybody and nothing is stored any more. */
	async crash(): Promise<void> {
		await this.#interrupt();
		this.#deliveries.stop();
		this.running = false;
		this.#entries = [...this.#entries];
		this.#open();
	}

	/** The parent lives on for a while, and everything ends. */
	async comeToRest(): Promise<void> {
		for (let round = 0; round < 8; round++) {
			for (const record of this.agents) await this.finish(record);
			await this.clock.advance(10_000);
			this.running = true;
			await this.settle(round % 2 === 0);
			await this.settle(false);
			await this.clock.advance(10_000);
		}
		await this.settle(false);
		await this.clock.advance(10_000);
		await Promise.all(this.#waits);
	}
}

function textOf({ content }: Result): string {
	return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}
