import type { RunLimits } from "@pi-subagents/core";
import { type FakeClock, fakeClock, type MockSession } from "@pi-subagents/test-helpers";
import { beforeEach, describe, expect, test } from "vitest";
import { type RunOptions, type RunResult, runAgent } from "../src/index.js";
import {
	emitDelta,
	emitTurn,
	type HostLikeSession,
	hostLikeSession,
	type Turn,
} from "./host-like-session.js";

let clock: FakeClock;
beforeEach(() => {
	clock = fakeClock();
});

const TOOL: Turn = { text: "working", tools: ["read"] };
const WRAP_UP = /^You have reached your turn limit\./;

function run(
	session: MockSession,
	limits: RunLimits,
	more: Partial<RunOptions> = {},
): Promise<RunResult> {
	return runAgent({ prompt: "task", limits, clock, createSession: async () => session, ...more });
}

/** A model that goes on calling tools until it is asked for the turn of this index, in which it answers. */
function answersAt(index: number): HostLikeSession {
	return hostLikeSession((request) => (request.index === index ? { text: "The answer." } : TOOL));
}

function wrapUps(session: MockSession): number {
	return session.calls.filter((call) => call.method === "steer" && WRAP_UP.test(call.text)).length;
}

function wrapUpText(session: MockSession): string {
	const sent = session.calls.find((call) => call.method === "steer");
	return sent?.text ?? "";
}

/** A model that does not answer before it is aborted. */
function silent(): HostLikeSession {
	return hostLikeSession(
		({ signal }) =>
			new Promise((resolve) =>
				signal.addEventListener("abort", () => resolve({ stopReason: "aborted" })),
			),
	);
}

describe("the turn limit", () => {
	test("is no matter to an agent that answers in its last turn", async () => {
		const session = answersAt(2);
		const result = await run(session, { maxTurns: 3 });
		expect(result).toMatchObject({ outcome: { status: "completed" }, turns: 3 });
		expect(wrapUps(session)).toBe(0);
	});

	test("tells an agent that would go on to wrap up, and it is steered if it does", async () => {
		const session = answersAt(3);
		const result = await run(session, { maxTurns: 3 });
		expect(result).toMatchObject({
			outcome: { status: "steered", reason: "turn_limit" },
			text: "The answer.",
			turns: 4,
			unreadMessages: [],
		});
		expect(wrapUps(session)).toBe(1);
		expect(session.read.at(-1)).toMatch(WRAP_UP);
	});

	test("cuts off an agent that does not stop within the grace turns (STATUS-01)", async () => {
		const session = answersAt(99);
		const result = await run(session, { maxTurns: 2, graceTurns: 3 });
		expect(result).toMatchObject({
			outcome: { status: "aborted", reason: "turn_limit", detail: "2 turns and 3 to wrap up" },
			text: "working",
			unresponsive: false,
		});
		expect(session.asked).toBe(5);
		expect(wrapUps(session)).toBe(1);
	});

	test("has five grace turns unless said otherwise", async () => {
		const session = answersAt(99);
		await run(session, { maxTurns: 1 });
		expect(session.asked).toBe(6);
	});

	test("is not cut off in the last grace turn if that is the answer", async () => {
		const result = await run(answersAt(4), { maxTurns: 2, graceTurns: 3 });
		expect(result).toMatchObject({ outcome: { status: "steered" }, turns: 5 });
	});

	test("without grace turns cuts off at once, without a word", async () => {
		const session = answersAt(99);
		const result = await run(session, { maxTurns: 2, graceTurns: 0 });
		expect(result.outcome).toEqual({ status: "aborted", reason: "turn_limit", detail: "2 turns" });
		expect([session.asked, wrapUps(session)]).toEqual([2, 0]);
	});

	test("of one turn without grace allows one answer", async () => {
		const limits = { maxTurns: 1, graceTurns: 0 };
		expect((await run(answersAt(0), limits)).outcome.status).toBe("completed");
		expect((await run(answersAt(1), limits)).outcome.status).toBe("aborted");
	});

	test("of one turn tells to wrap up after it", async () => {
		const session = answersAt(1);
		expect((await run(session, { maxTurns: 1 })).outcome.status).toBe("steered");
		expect(wrapUps(session)).toBe(1);
	});

	test("that is 0 or absent is none", async () => {
		for (const limits of [{}, { maxTurns: 0 }, { maxTurns: 0, graceTurns: 0 }]) {
			expect((await run(answersAt(30), limits)).outcome.status).toBe("completed");
		}
	});

	test("asks nobody again who has ended by a tool, and says completed", async () => {
		const session = hostLikeSession([], {
			async prompt(self) {
				self.emit({ type: "turn_start" });
				emitTurn(self, { text: "Submitting.", tools: ["submit"] });
				self.emit({ type: "agent_end" });
			},
		});
		const result = await run(session, { maxTurns: 1 });
		expect(result).toMatchObject({
			outcome: { status: "completed", reason: "finished" },
			text: "Submitting.",
			unreadMessages: [],
		});
		expect(session.calls.map((call) => call.method)).toEqual(["prompt", "steer"]);
	});

	test("is not reported as unread if the agent ends without reading of it", async () => {
		const session = hostLikeSession((request) => {
			if (request.index === 0) return TOOL;
			// As if it were on its way while the host fails.
			void session.steer(wrapUpText(session));
			return { stopReason: "error", errorMessage: "503" };
		});
		const result = await run(session, { maxTurns: 1 });
		expect(result.outcome.status).toBe("error");
		expect(result.unreadMessages).toEqual([]);
		expect(session.clearQueue?.().steering).toEqual([]);
	});
});

describe("a limit of tokens or money", () => {
	const usage = { input: 40, output: 10, cacheRead: 1000, cacheWrite: 50, cost: { total: 0.125 } };

	test("cuts off after the turn in which it is reached; the cached prefix does not count", async () => {
		const session = hostLikeSession(() => ({ ...TOOL, usage }));
		const result = await run(session, { maxTokens: 300 });
		expect(result).toMatchObject({
			outcome: { status: "aborted", reason: "token_limit", detail: "300 of 300 tokens" },
			text: "working",
		});
		expect(session.asked).toBe(3);
	});

	test("counts dollars as the host does", async () => {
		const session = hostLikeSession(() => ({ ...TOOL, usage }));
		const result = await run(session, { maxCost: 0.2 });
		expect(result.outcome).toMatchObject({ reason: "cost_limit", detail: "$0.2500 of $0.2" });
		expect(session.asked).toBe(2);
	});

	test("does not spoil an answer that is complete", async () => {
		const session = hostLikeSession([{ text: "The answer.", usage }]);
		const result = await run(session, { maxTokens: 10, maxCost: 0.01 });
		expect(result.outcome.status).toBe("completed");
	});
});

describe("the time limit", () => {
	test("cuts off whatever goes on, and keeps the text (STATUS-01)", async () => {
		const session = hostLikeSession(({ index, signal }) => {
			if (index === 0) return TOOL;
			emitDelta(session, "half an answer");
			return new Promise((resolve) =>
				signal.addEventListener("abort", () =>
					resolve({ stopReason: "aborted", text: "half an answer", streamed: [] }),
				),
			);
		});
		const result = run(session, { maxSeconds: 60 });
		await clock.advance(59_999);
		expect(session.signal.aborted).toBe(false);
		await clock.advance(1);
		expect(await result).toMatchObject({
			outcome: { status: "aborted", reason: "time_limit", detail: "60 seconds" },
			text: "half an answer",
			unresponsive: false,
		});
		expect(clock.pendingTimers).toBe(0);
	});

	test("also counts the preparation, and cuts that off", async () => {
		const result = runAgent({
			prompt: "task",
			limits: { maxSeconds: 60 },
			clock,
			prepareWorkspace: async () => ({
				cwd: "/tree",
				root: "/tree",
				notes: [],
				finish: async () => ({ text: "Nothing changed.", changed: false, problems: [] }),
			}),
			createSession: () => new Promise(() => {}),
		});
		await clock.advance(60_000);
		expect(await result).toMatchObject({
			outcome: {
				status: "aborted",
				reason: "time_limit",
				detail: "60 seconds; its session was not ready yet",
				neverStarted: true,
			},
			workspace: { text: "Nothing changed." },
		});
		expect(clock.pendingTimers).toBe(0);
	});

	test("does not spoil an answer that is complete but not yet over", async () => {
		const session = hostLikeSession([{ text: "The answer." }], {
			members: { waitForIdle: () => new Promise((resolve) => clock.setTimeout(resolve, 61_000)) },
		});
		const result = run(session, { maxSeconds: 60 });
		await clock.advance(61_000);
		expect((await result).outcome).toEqual({ status: "completed", reason: "finished" });
	});

	test("does not take an earlier answer for that of the turn that it cuts off", async () => {
		const session = hostLikeSession(({ index }) =>
			index === 0 ? { text: "The first answer." } : new Promise(() => {}),
		);
		const result = run(session, { maxSeconds: 60 });
		await session.steer("one more thing");
		await clock.advance(65_000);
		expect(await result).toMatchObject({
			outcome: { status: "aborted", reason: "time_limit" },
			text: "The first answer.",
			unresponsive: true,
		});
	});
});

describe("the limit of a tool's time", () => {
	const limits = { toolSeconds: 30 };

	test("cuts off the run and names the tool", async () => {
		const session = silent();
		const result = run(session, limits);
		await clock.advance(0);
		session.emit({ type: "tool_execution_start", toolCallId: "c1", toolName: "read", args: {} });
		await clock.advance(20_000);
		session.emit({ type: "tool_execution_start", toolCallId: "c2", toolName: "bash", args: {} });
		session.emit({
			type: "tool_execution_end",
			toolCallId: "c1",
			toolName: "read",
			isError: false,
		});
		await clock.advance(29_999);
		expect(session.signal.aborted).toBe(false);
		await clock.advance(1);
		expect((await result).outcome).toEqual({
			status: "aborted",
			reason: "tool_time_limit",
			detail: "bash ran for 30 seconds",
		});
		expect(clock.pendingTimers).toBe(0);
	});

	test("does not bound a tool that waits for other agents", async () => {
		const session = silent();
		const result = run(session, limits, { untimedTools: new Set(["subagent"]) });
		await clock.advance(0);
		const start = { type: "tool_execution_start", args: {} } as const;
		session.emit({ ...start, toolCallId: "c1", toolName: "subagent" });
		expect(clock.pendingTimers).toBe(0);
		session.emit({ ...start, toolCallId: "c2", toolName: "bash" });
		await clock.advance(30_000);
		expect((await result).outcome.detail).toBe("bash ran for 30 seconds");
	});

	test("does not count tools whose loop has died, nor a call twice", async () => {
		const session = silent();
		const result = run(session, limits);
		await clock.advance(0);
		const start = { type: "tool_execution_start", toolName: "read", args: {} } as const;
		session.emit({ ...start, toolCallId: "c1" });
		session.emit({ ...start, toolCallId: "c1" });
		expect(clock.pendingTimers).toBe(1);
		session.emit({ type: "agent_end" });
		expect(clock.pendingTimers).toBe(0);
		await session.abort();
		expect((await result).outcome.status).toBe("stopped");
	});
});

describe("the stall limit", () => {
	const limits = { stallSeconds: 10 };

	test("cuts off after so much silence, however late", async () => {
		const session = silent();
		const result = run(session, limits);
		await clock.advance(9000);
		emitDelta(session, "still here");
		await clock.advance(9999);
		expect(session.signal.aborted).toBe(false);
		await clock.advance(1);
		expect((await result).outcome).toEqual({
			status: "aborted",
			reason: "stalled",
			detail: "nothing happened for 10 seconds",
		});
		expect(clock.pendingTimers).toBe(0);
	});

	test("has patience with a tool, and starts again when it ends (STATUS-11)", async () => {
		const session = silent();
		const result = run(session, limits);
		await clock.advance(0);
		const call = { toolCallId: "c1", toolName: "bash" };
		session.emit({ type: "tool_execution_start", ...call, args: {} });
		await clock.advance(300_000);
		expect(session.signal.aborted).toBe(false);
		session.emit({ type: "tool_execution_end", ...call, isError: false });
		await clock.advance(10_000);
		expect((await result).outcome).toMatchObject({ reason: "stalled" });
	});
});

test("of several limits the first one that strikes is the reason, also while the agent ends", async () => {
	const session = hostLikeSession(() => new Promise(() => {}));
	const result = run(session, { maxSeconds: 5, stallSeconds: 3, toolSeconds: 1 });
	await clock.advance(10_000);
	expect(await result).toMatchObject({ outcome: { reason: "stalled" }, unresponsive: true });
});
