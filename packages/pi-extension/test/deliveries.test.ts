import type { SessionEntry } from "@mariozechner/pi-coding-agent";
import type { AgentRecord } from "@pi-subagents/core";
import { AgentManager } from "@pi-subagents/runner";
import { fakeClock, type MockSession, mockSession } from "@pi-subagents/test-helpers";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type AgentBook, createAgentBook, readStoredAgents } from "../src/agent-book.js";
import { createDeliveries, type Deliveries } from "../src/delivery/deliveries.js";

const LAUNCH = {
	cwd: "/project",
	model: "mock/m1",
	isolated: false,
	isolation: "none",
	limits: {},
} as const;

/** A parent session: what it was told, whether it runs, and the entries that outlive a reload. */
class Parent {
	readonly told: string[] = [];
	readonly clock = fakeClock();
	readonly sessions = new Map<string, MockSession>();
	wakeUps = 0;
	running = false;
	#entries: SessionEntry[] = [];
	#ids = 0;
	#manager!: AgentManager;
	#book!: AgentBook;
	#deliveries!: Deliveries;

	constructor() {
		this.open();
	}

	open(): void {
		const manager = new AgentManager({
			createSession: async ({ record }) => {
				const session = mockSession();
				this.sessions.set(record.id, session);
				return session;
			},
			keepSessions: false,
			maxConcurrent: 3,
			clock: this.clock,
			newId: () => `a${++this.#ids}`,
		});
		const append = (customType: string, data?: unknown): void => {
			// As JSON, like a session file.
			const entry = JSON.stringify({ type: "custom", customType, data });
			this.#entries.push(JSON.parse(entry));
		};
		const book = createAgentBook(append, (id) => ({
			unreadMessages: manager.getUnreadMessages(id),
		}));
		const deliveries = createDeliveries({
			book,
			clock: this.clock,
			agents: () => manager.listAgents(),
			isOver: ({ id }) => manager.isOver(id),
			isParentAtRest: () => !this.running,
			send: (records) => {
				this.wakeUps++;
				this.running = true;
				this.hear(records);
			},
		});
		manager.subscribe((event) => {
			if (event.type === "agent_created") book.open(event.record, LAUNCH, true);
			if (event.type === "run_started" || event.type === "run_ended") book.store(event.record);
			if (event.type === "run_ended") deliveries.check();
		});
		for (const stored of readStoredAgents(this.#entries)) {
			manager.restore(stored.record, LAUNCH);
			book.restore(stored);
		}
		this.#manager = manager;
		this.#book = book;
		this.#deliveries = deliveries;
	}

	hear(records: readonly AgentRecord[]): void {
		for (const record of records) this.told.push(`${record.id}#${record.runCount}`);
	}

	get agents(): readonly AgentRecord[] {
		return this.#manager.listAgents();
	}

	spawn(): void {
		this.#manager.spawn({
			type: "t",
			description: "d",
			prompt: "p",
			context: undefined,
			background: true,
		});
	}

	async finish(record: AgentRecord): Promise<void> {
		const session = this.sessions.get(record.id);
		if (!session?.isStreaming) return;
		session.emit({
			type: "message_end",
			message: { role: "assistant", content: "done", stopReason: "stop" },
		});
		session.finishPrompt();
		await this.clock.advance(0);
	}

	stop(record: AgentRecord): void {
		this.#manager.abort(record.id, "user");
	}

	resume(record: AgentRecord): void {
		if (this.#book.isUntold(record)) return;
		const told = record.runCount;
		const answer = this.#manager.resume(record.id, { prompt: "more", background: true });
		if (answer === "started") this.#book.reopen(record, true, told);
	}

	/** The parent's model reads a result by itself, which it can only while it runs. */
	pull(record: AgentRecord): void {
		if (!this.running || !this.#book.isUntold(record)) return;
		this.#book.markTold(record);
		this.hear([record]);
	}

	/** The run of the parent comes to its end; on pi 1.x it goes on if something is due. */
	settle(askBefore: boolean): void {
		if (!this.running) return;
		if (askBefore) {
			const due = this.#deliveries.take();
			this.hear(due);
			if (due.length > 0) return;
		}
		this.running = false;
		this.#deliveries.check();
	}

	async reload(): Promise<void> {
		this.#deliveries.stop();
		await this.#manager.dispose();
		this.running = false;
		this.open();
	}

	/** The process dies: nothing is told to anybody and nothing is stored any more. */
	crash(): void {
		this.#deliveries.stop();
		this.running = false;
		this.#entries = [...this.#entries];
		this.open();
	}

	/** The parent lives on for a while, and everything ends. */
	async comeToRest(): Promise<void> {
		for (let round = 0; round < 8; round++) {
			for (const record of this.agents) await this.finish(record);
			await this.clock.advance(10_000);
			this.running = true;
			this.settle(round % 2 === 0);
			this.settle(false);
			await this.clock.advance(10_000);
		}
		this.settle(false);
		await this.clock.advance(10_000);
	}
}

describe("deliveries", () => {
	test("[NOTIFY-02] an idle parent is woken when its agent ends", async () => {
		const parent = new Parent();
		parent.spawn();
		await parent.clock.advance(0);
		await parent.finish(parent.agents[0] as AgentRecord);
		expect(parent.told).toEqual(["a1#1"]);
		expect(parent.wakeUps).toBe(1);
	});

	test("[NOTIFY-05] agents that end soon after each other wake it once", async () => {
		const parent = new Parent();
		for (let index = 0; index < 3; index++) parent.spawn();
		await parent.clock.advance(0);
		for (const record of parent.agents) {
			await parent.finish(record);
			await parent.clock.advance(100);
		}
		expect(parent.told).toEqual(["a1#1", "a2#1", "a3#1"]);
		expect(parent.wakeUps).toBe(1);
	});

	test("an agent that goes on does not hold back for long those that have ended", async () => {
		const parent = new Parent();
		parent.spawn();
		parent.spawn();
		await parent.clock.advance(0);
		await parent.finish(parent.agents[0] as AgentRecord);
		expect(parent.told).toEqual([]);
		await parent.clock.advance(1500);
		expect(parent.told).toEqual(["a1#1"]);
	});

	test("many agents that end one after the other wake it once, however long that takes", async () => {
		const parent = new Parent();
		for (let index = 0; index < 10; index++) parent.spawn();
		await parent.clock.advance(0);
		for (const record of parent.agents) {
			await parent.finish(record);
			await parent.clock.advance(1400);
		}
		expect(parent.told).toHaveLength(10);
		expect(parent.wakeUps).toBe(1);
	});

	test("the first one of a long row waits for 15 seconds at most", async () => {
		const parent = new Parent();
		for (let index = 0; index < 14; index++) parent.spawn();
		await parent.clock.advance(0);
		for (const record of parent.agents.slice(0, 11)) {
			await parent.finish(record);
			await parent.clock.advance(1400);
		}
		expect(parent.told).toHaveLength(11);
		expect(parent.told[0]).toBe("a1#1");
	});

	test("[NOTIFY-03] a result that the parent read is not announced", async () => {
		const parent = new Parent();
		parent.running = true;
		parent.spawn();
		await parent.clock.advance(0);
		await parent.finish(parent.agents[0] as AgentRecord);
		parent.pull(parent.agents[0] as AgentRecord);
		await parent.comeToRest();
		expect(parent.told).toEqual(["a1#1"]);
		expect(parent.wakeUps).toBe(0);
	});

	test("[STATUS-04] an agent that is stopped before it started is told, too", async () => {
		const parent = new Parent();
		for (let index = 0; index < 4; index++) parent.spawn();
		parent.stop(parent.agents[3] as AgentRecord);
		await parent.comeToRest();
		expect(parent.told.toSorted()).toEqual(["a1#1", "a2#1", "a3#1", "a4#1"]);
	});

	test("a parent that runs is told when it comes to rest", async () => {
		const parent = new Parent();
		parent.running = true;
		parent.spawn();
		await parent.clock.advance(0);
		await parent.finish(parent.agents[0] as AgentRecord);
		expect(parent.told).toEqual([]);
		parent.settle(false);
		expect(parent.told).toEqual(["a1#1"]);
	});
});

type Action = { readonly name: string; readonly agent: number; readonly ms: number };

const action: fc.Arbitrary<Action> = fc.record({
	name: fc.constantFrom(
		"spawn",
		"spawn",
		"finish",
		"finish",
		"stop",
		"resume",
		"pull",
		"start",
		"settle",
		"settleAsking",
		"wait",
		"reload",
		"crash",
	),
	agent: fc.nat(5),
	ms: fc.constantFrom(0, 1, 100, 1600),
});

async function play(parent: Parent, { name, agent, ms }: Action): Promise<void> {
	const record = parent.agents[agent];
	if (name === "spawn") parent.spawn();
	if (name === "finish" && record) await parent.finish(record);
	if (name === "stop" && record) parent.stop(record);
	if (name === "resume" && record?.isTerminal) parent.resume(record);
	if (name === "pull" && record) parent.pull(record);
	if (name === "start") parent.running = true;
	if (name === "settle") parent.settle(false);
	if (name === "settleAsking") parent.settle(true);
	if (name === "reload") await parent.reload();
	if (name === "crash") parent.crash();
	await parent.clock.advance(ms);
}

test("every run that ended is told exactly once, whatever happens in between", async () => {
	await fc.assert(
		fc.asyncProperty(fc.array(action, { maxLength: 40 }), async (actions) => {
			const parent = new Parent();
			for (const next of actions) await play(parent, next);
			await parent.comeToRest();
			const expected = parent.agents.flatMap((record) =>
				Array.from({ length: record.runCount }, (_, run) => `${record.id}#${run + 1}`),
			);
			expect(parent.told.toSorted()).toEqual(expected.toSorted());
		}),
		{ numRuns: 1000 },
	);
});
