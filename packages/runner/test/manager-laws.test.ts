import { isTerminal, type SubagentSession } from "@pi-subagents/core";
import { fakeClock, type MockSession, mockSession } from "@pi-subagents/test-helpers";
import fc from "fast-check";
import { expect, test } from "vitest";
import { AgentManager, type ManagerEvent, type StopAnswer } from "../src/index.js";
import { type Deferred, deferred, promisesSettled } from "./deferred.js";
import { emitTurn } from "./host-like-session.js";
import { task } from "./manager-harness.js";

/** How an agent's sessions behave. */
type Kind = "plain" | "deaf" | "sticky" | "unmakeable" | "slow";

/** One thing that happens; `agent` counts modulo the agents that there are. */
type Step =
	| {
			readonly do: "spawn";
			readonly kind: Kind;
			readonly parentId: string | undefined;
			readonly background: boolean;
			readonly bypassQueue: boolean;
	  }
	| {
			readonly do: "resume";
			readonly agent: number;
			readonly background: boolean;
			readonly bypassQueue: boolean;
	  }
	| { readonly do: "steer" | "stop" | "cancel" | "make" | "fail"; readonly agent: number }
	| { readonly do: "finish"; readonly agent: number; readonly stopReason: string }
	| { readonly do: "limit"; readonly limit: number }
	| { readonly do: "wait"; readonly milliseconds: number }
	| { readonly do: "microtasks"; readonly count: number }
	| { readonly do: "settle" };

const agent = fc.nat(9);
const often = (value: boolean) => fc.constantFrom(value, value, value, !value);
const step: fc.Arbitrary<Step> = fc.oneof(
	fc.record({
		do: fc.constant("spawn"),
		kind: fc.constantFrom<Kind>("plain", "plain", "plain", "deaf", "sticky", "unmakeable", "slow"),
		parentId: fc.constantFrom(undefined, undefined, "p1"),
		background: fc.boolean(),
		bypassQueue: often(false),
	}),
	fc.record({
		do: fc.constant("resume"),
		agent,
		background: fc.boolean(),
		bypassQueue: often(false),
	}),
	fc.record({ do: fc.constantFrom("steer", "stop", "cancel", "make", "fail"), agent }),
	fc.record({
		do: fc.constant("finish"),
		agent,
		stopReason: fc.constantFrom("stop", "stop", "error", "aborted", "length"),
	}),
	fc.record({ do: fc.constant("limit"), limit: fc.integer({ min: 1, max: 3 }) }),
	fc.record({ do: fc.constant("wait"), milliseconds: fc.constantFrom(1, 1000, 5000) }),
	fc.record({ do: fc.constant("microtasks"), count: fc.nat(5) }),
	fc.record({ do: fc.constant("settle") }),
);

interface Setup {
	readonly limit: number;
	readonly keepSessions: boolean;
	readonly steps: readonly Step[];
}

const setup: fc.Arbitrary<Setup> = fc.record({
	limit: fc.integer({ min: 1, max: 3 }),
	keepSessions: fc.boolean(),
	steps: fc.array(step, { minLength: 5, maxLength: 60 }),
});

/** A run as the laws see it. */
interface Run {
	readonly id: string;
	/** Whom it shares slots with; none if it passes over the queue. */
	readonly lane: string | undefined;
	phase: "asked" | "started" | "ended";
}

/** Checks at every event that the laws hold. */
function createReferee(limitNow: () => number) {
	const runs: Run[] = [];
	const openRun = (id: string): Run => {
		const open = runs.filter((run) => run.id === id && run.phase !== "ended");
		expect(open).toHaveLength(1);
		return open[0] as Run;
	};
	return {
		runs,
		/** What the next run that is asked for will be. */
		lane: undefined as string | undefined,
		hear({ type, record }: ManagerEvent): void {
			if (type === "agent_created" || type === "agent_resumed") {
				const open = runs.filter((run) => run.id === record.id && run.phase !== "ended");
				expect(open).toEqual([]);
				expect(record.status).toBe("queued");
				runs.push({ id: record.id, lane: this.lane, phase: "asked" });
			} else if (type === "run_started") {
				const run = openRun(record.id);
				expect(record.status).toBe("running");
				expect(run.phase).toBe("asked");
				if (run.lane !== undefined) {
					const lane = runs.filter((other) => other.lane === run.lane);
					expect(lane.find((other) => other.phase === "asked")).toBe(run);
					const taken = lane.filter((other) => other.phase === "started").length;
					expect(taken).toBeLessThan(limitNow());
				}
				run.phase = "started";
			} else if (type === "run_ended") {
				expect(isTerminal(record.status)).toBe(true);
				openRun(record.id).phase = "ended";
			}
		},
		/** Nobody waits while there is a slot. */
		checkNobodyIsForgotten(): void {
			for (const lane of new Set(runs.map((run) => run.lane))) {
				const mates = runs.filter((run) => run.lane === lane);
				if (!mates.some((run) => run.phase === "asked")) continue;
				const taken = mates.filter((run) => run.phase === "started").length;
				expect(taken).toBeGreaterThanOrEqual(limitNow());
			}
		},
	};
}

async function play({ limit: firstLimit, keepSessions, steps }: Setup): Promise<void> {
	const clock = fakeClock();
	const sessions = new Map<string, MockSession[]>();
	const makings = new Map<string, Deferred<SubagentSession>>();
	const signals = new Map<string, AbortController>();
	const finished = new Map<MockSession, number>();
	const faults: string[] = [];
	const waits: Array<Promise<unknown>> = [];
	let limit = firstLimit;
	let ids = 0;

	function makeSession(id: string, kind: string): MockSession {
		const session = mockSession({
			...(kind === "deaf" && { abort: () => new Promise<void>(() => {}) }),
			...(kind === "sticky" && { dispose: () => new Promise<void>(() => {}) }),
		});
		sessions.set(id, [...(sessions.get(id) ?? []), session]);
		return session;
	}

	const manager = new AgentManager<Kind>({
		clock,
		keepSessions,
		maxConcurrent: firstLimit,
		newId: () => `a${++ids}`,
		log: (message, error) => faults.push(`${message} ${error.message}`),
		createSession({ record: { id }, context: kind }) {
			if (kind === "unmakeable") return Promise.reject(new Error("no model"));
			if (kind !== "slow") return Promise.resolve(makeSession(id, kind));
			const making = deferred<SubagentSession>();
			makings.set(id, making);
			return making.promise;
		},
	});
	const referee = createReferee(() => limit);
	// A subscriber's failure would only be logged, so it is kept for the test.
	const broken: unknown[] = [];
	manager.subscribe((event) => {
		try {
			referee.hear(event);
		} catch (error) {
			broken.push(error);
		}
	});

	const pick = (index: number) => {
		const records = manager.listAgents();
		return records[index % Math.max(1, records.length)]?.id ?? "nobody";
	};
	const laneOf = (background: boolean, parentId: string | undefined) =>
		background ? "background" : `foreground ${parentId}`;

	async function take(given: Step): Promise<void> {
		switch (given.do) {
			case "spawn": {
				const { kind, parentId, background, bypassQueue } = given;
				referee.lane = bypassQueue ? undefined : laneOf(background, parentId);
				const controller = new AbortController();
				const { signal } = controller;
				const parent = parentId === undefined ? {} : { parentId };
				const own = { context: kind, background, bypassQueue, signal };
				const id = manager.spawn({ ...task(), ...parent, ...own });
				signals.set(id, controller);
				waits.push(manager.wait(id));
				return;
			}
			case "resume": {
				const id = pick(given.agent);
				const record = manager.getRecord(id);
				const { background, bypassQueue } = given;
				referee.lane = bypassQueue ? undefined : laneOf(background, record?.parentId);
				const hadRun = referee.runs.some((run) => run.id === id && run.phase !== "ended");
				const expected = record === undefined ? "unknown" : hadRun ? "not_ended" : "started";
				expect(manager.resume(id, { prompt: "again", background, bypassQueue })).toBe(expected);
				if (expected === "started") waits.push(manager.wait(id));
				return;
			}
			case "steer":
				waits.push(manager.steer(pick(given.agent), "hello"));
				return;
			case "stop": {
				const id = pick(given.agent);
				const status = manager.getRecord(id)?.status;
				const answers: Partial<Record<string, StopAnswer>> = {
					queued: "stopped",
					running: "stopping",
				};
				const expected = status === undefined ? "unknown" : (answers[status] ?? "already_ended");
				expect(manager.abort(id, "user")).toBe(expected);
				if (status !== undefined) expect(manager.getRecord(id)?.isTerminal).toBe(true);
				return;
			}
			case "cancel":
				signals.get(pick(given.agent))?.abort("parent");
				return;
			case "make": {
				const id = pick(given.agent);
				makings.get(id)?.resolve(makeSession(id, "plain"));
				makings.delete(id);
				return;
			}
			case "fail": {
				const id = pick(given.agent);
				makings.get(id)?.reject(new Error("no model"));
				makings.delete(id);
				return;
			}
			case "finish": {
				const session = sessions.get(pick(given.agent))?.at(-1);
				if (!session?.isStreaming || session.signal.aborted) return;
				const prompts = session.calls.filter((call) => call.method === "prompt").length;
				if (finished.get(session) === prompts) return;
				finished.set(session, prompts);
				session.emit({ type: "turn_start" });
				emitTurn(session, { text: "done", stopReason: given.stopReason });
				session.finishPrompt();
				return;
			}
			case "limit":
				limit = given.limit;
				manager.setMaxConcurrent(limit);
				return;
			case "wait":
				return clock.advance(given.milliseconds);
			case "microtasks":
				for (let count = 0; count < given.count; count++) await Promise.resolve();
				return;
			case "settle":
				return promisesSettled();
		}
	}

	for (const given of steps) {
		await take(given);
		expect(broken).toEqual([]);
		referee.checkNobodyIsForgotten();
	}

	const disposed = manager.dispose();
	await clock.advance(60_000);
	await disposed;
	await Promise.all(waits);
	expect(broken).toEqual([]);
	expect(referee.runs.map((run) => run.phase)).toEqual(referee.runs.map(() => "ended"));
	// What comes now is too late, and is disposed of as well.
	for (const [id, making] of makings) making.resolve(makeSession(id, "plain"));
	await promisesSettled();
	for (const session of [...sessions.values()].flat()) {
		expect(session.subscriberCount).toBe(0);
		expect(session.calls.filter((call) => call.method === "dispose")).toHaveLength(1);
	}
	for (const record of manager.listAgents()) {
		expect(isTerminal(record.status)).toBe(true);
		expect(record.outcome?.status).toBe(record.status);
		expect(record.runCount).toBe(referee.runs.filter((run) => run.id === record.id).length);
	}
	expect(clock.pendingTimers).toBe(0);
	expect(faults).toEqual([]);
}

test("whatever happens in whatever order, every run ends once, in turn and within the limit, and leaves nothing", {
	timeout: 120_000,
}, async () => {
	await fc.assert(fc.asyncProperty(setup, play), { numRuns: 300 });
});
