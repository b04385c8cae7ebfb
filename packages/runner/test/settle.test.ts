import type { HostEvent } from "@pi-subagents/core";
import {
	type FakeClock,
	fakeClock,
	loadTrace,
	type MockSession,
	mockSession,
	type TraceName,
} from "@pi-subagents/test-helpers";
import { beforeEach, describe, expect, test } from "vitest";
import { type RunResult, runAgent } from "../src/index.js";
import { promisesSettled } from "./deferred.js";

let clock: FakeClock;
beforeEach(() => {
	clock = fakeClock();
});

/** A session as that of 0.73.1: no `waitForIdle`, but an agent inside, which hears of events first. */
interface OldSession {
	readonly session: MockSession;
	readonly agent: MockSession;
	/** Whether steering messages wait for the agent. */
	queued: boolean;
	compacting: boolean;
}

function oldSession(script: (old: OldSession) => void | Promise<void>): OldSession {
	const agent = mockSession();
	const session = mockSession({
		prompt: () => script(old),
		members: {
			agent: {
				subscribe: agent.subscribe,
				waitForIdle: () => Promise.resolve(),
				hasQueuedMessages: () => old.queued,
			},
			get isCompacting() {
				return old.compacting;
			},
		},
	});
	const old: OldSession = { session, agent, queued: false, compacting: false };
	return old;
}

/** Sends events as the host does without slow extensions: to the agent's subscribers and then to the session's. */
function send({ session, agent }: OldSession, events: readonly HostEvent[]): void {
	for (const event of events) {
		if (!event.type.startsWith("compaction_")) agent.emit<HostEvent>(event);
		session.emit<HostEvent>(event);
	}
}

/** The events of a trace, from one agent loop to the next. */
function loops(name: TraceName): HostEvent[][] {
	const result: HostEvent[][] = [];
	for (const event of loadTrace("0.73.1", name).events) {
		if (event.type === "agent_start") result.push([]);
		result.at(-1)?.push(event);
	}
	return result;
}

/** A loop, what of it comes before the end of its compaction, and that end. */
function atCompaction(loop: readonly HostEvent[] = []): [HostEvent[], HostEvent[]] {
	const index = loop.findIndex((event) => event.type === "compaction_end");
	return [loop.slice(0, index), loop.slice(index)];
}

interface Run {
	readonly result: Promise<RunResult>;
	over: boolean;
}

function run(session: MockSession, signal?: AbortSignal): Run {
	const createSession = () => Promise.resolve(session);
	const result = runAgent({ prompt: "task", clock, createSession, ...(signal && { signal }) });
	const state: Run = { result, over: false };
	void result.then(() => {
		state.over = true;
	});
	return state;
}

/** Lets time pass, and more turns of the event loop than the end of a run takes. */
async function pass(milliseconds: number): Promise<void> {
	await clock.advance(milliseconds);
	for (let turn = 0; turn < 10; turn++) await promisesSettled();
}

async function expectNothingLeft({ session, agent }: OldSession): Promise<void> {
	await promisesSettled();
	expect([session.subscriberCount, agent.subscriberCount, clock.pendingTimers]).toEqual([0, 0, 0]);
}

describe("a run on 0.73.1, whose prompt resolves too early,", () => {
	test("is over at once if nothing follows", async () => {
		const old = oldSession(() => send(old, loops("plain").flat()));
		const { result } = run(old.session);
		expect(await result).toMatchObject({ outcome: { status: "completed" }, text: "hello" });
		await expectNothingLeft(old);
	});

	test("goes on while the conversation is compacted", async () => {
		const [before, after] = atCompaction(loops("compaction-threshold")[1]);
		expect([before.at(-1)?.type, after.length]).toEqual(["compaction_start", 1]);
		const old = oldSession(() => send(old, before));
		const state = run(old.session);
		await pass(60_000);
		expect(state.over).toBe(false);
		send(old, after);
		expect(await state.result).toMatchObject({
			outcome: { status: "completed" },
			text: "big",
			turns: 1,
		});
		await expectNothingLeft(old);
	});

	test("goes on after a context overflow until the agent has tried again", async () => {
		const [, overflow, retry] = loops("compaction-overflow");
		const [before, after] = atCompaction(overflow);
		const old = oldSession(() => send(old, before));
		const state = run(old.session);
		await pass(30);
		expect(state.over).toBe(false);
		send(old, after);
		await pass(100);
		expect(state.over).toBe(false);
		send(old, retry ?? []);
		const result = await state.result;
		expect(result.outcome).toMatchObject({ status: "error", reason: "provider_error" });
		expect(result.outcome.detail).toMatch(/^400 This model maximum context length is 20000 tokens/);
		await expectNothingLeft(old);
	});

	test("has the outcome of the agent's second try", async () => {
		const [before, after] = atCompaction(loops("compaction-overflow")[1]);
		const old = oldSession(() => send(old, before));
		const { result } = run(old.session);
		await pass(30);
		send(old, after);
		await pass(399);
		send(old, loops("plain").flat());
		expect(await result).toMatchObject({ outcome: { status: "completed" }, text: "hello" });
		await expectNothingLeft(old);
	});

	test("does not wait for ever for a second try that does not come", async () => {
		const [before, after] = atCompaction(loops("compaction-overflow")[1]);
		const old = oldSession(() => send(old, before));
		const state = run(old.session);
		await pass(30);
		send(old, after);
		await pass(399);
		expect(state.over).toBe(false);
		await clock.advance(2);
		expect((await state.result).outcome).toMatchObject({ status: "error" });
		await expectNothingLeft(old);
	});

	test("goes on if messages wait that the agent reads after the compaction", async () => {
		const [before, after] = atCompaction(loops("compaction-threshold")[1]);
		const old = oldSession(() => send(old, before));
		old.queued = true;
		const state = run(old.session);
		await pass(10);
		send(old, after);
		await pass(100);
		expect(state.over).toBe(false);
		old.queued = false;
		send(old, loops("plain").flat());
		expect((await state.result).text).toBe("hello");
		await expectNothingLeft(old);
	});

	test("hears the events that a slow extension delays", async () => {
		const events = loops("tool").flat();
		const old = oldSession(() => {
			for (const event of events) old.agent.emit<HostEvent>(event);
		});
		const state = run(old.session);
		for (const event of events) {
			await pass(60);
			expect(state.over).toBe(false);
			old.session.emit<HostEvent>(event);
		}
		expect(await state.result).toMatchObject({ text: "done", turns: 2 });
		await expectNothingLeft(old);
	});

	test("looks itself where no event tells that the session goes on", async () => {
		const old = oldSession(() => {
			old.compacting = true;
			send(old, loops("plain").flat());
		});
		const state = run(old.session);
		await pass(1000);
		expect(state.over).toBe(false);
		old.compacting = false;
		await clock.advance(25);
		expect((await state.result).text).toBe("hello");
		await expectNothingLeft(old);
	});

	test("stops to look when it is given up", async () => {
		const old = oldSession(() => {
			old.compacting = true;
			send(old, loops("plain").flat());
		});
		const controller = new AbortController();
		const { result } = run(old.session, controller.signal);
		await clock.advance(1000);
		controller.abort("user");
		await clock.advance(5000);
		expect(await result).toMatchObject({
			outcome: { status: "stopped", reason: "user" },
			text: "hello",
			unresponsive: true,
		});
		await expectNothingLeft(old);
	});
});

test("a run on 1.6.0 ends when the session says that it is idle", async () => {
	let idle = (): void => {};
	const waitForIdle = () =>
		new Promise<void>((resolve) => {
			idle = resolve;
		});
	const session = mockSession({
		prompt: (self) => {
			for (const event of loadTrace("1.6.0", "plain").events) self.emit<HostEvent>(event);
		},
		members: { waitForIdle },
	});
	const state = run(session);
	await pass(60_000);
	expect(state.over).toBe(false);
	idle();
	expect(await state.result).toMatchObject({ outcome: { status: "completed" }, text: "hello" });
	expect([session.subscriberCount, clock.pendingTimers]).toEqual([0, 0]);
});
