import { fakeClock, mockSession } from "@pi-subagents/test-helpers";
import { describe, expect, test } from "vitest";
import { runAgent, watchSilence } from "../src/index.js";
import { hostLikeSession } from "./host-like-session.js";

function watched(stages: Readonly<Record<string, number>>) {
	const clock = fakeClock();
	const session = mockSession();
	const reached: string[] = [];
	const watch = watchSilence(
		session,
		clock,
		Object.entries(stages).map(([name, seconds]) => ({
			seconds,
			act: () => reached.push(`${name} at ${clock.now() / 1000}`),
		})),
	);
	return { clock, session, reached, watch };
}

const TOOL = { toolCallId: "t1", toolName: "bash" };

describe("silence", () => {
	test("is acted upon in stages, each once", async () => {
		const { clock, reached, watch } = watched({ stop: 30, warn: 10, steer: 20, never: 0 });
		await clock.advance(9999);
		expect(watch.isSilent).toBe(false);
		await clock.advance(90_000);
		expect(reached).toEqual(["warn at 10", "steer at 20", "stop at 30"]);
		expect(watch.isSilent).toBe(true);
		expect(clock.pendingTimers).toBe(0);
	});

	test("begins anew with every event, and may be told again", async () => {
		const { clock, session, reached, watch } = watched({ warn: 10 });
		await clock.advance(9000);
		session.emit({ type: "turn_start" });
		await clock.advance(9999);
		expect(reached).toEqual([]);
		await clock.advance(1);
		expect(reached).toEqual(["warn at 19"]);
		session.emit({ type: "turn_start" });
		expect(watch.isSilent).toBe(false);
		await clock.advance(10_000);
		expect(reached).toEqual(["warn at 19", "warn at 29"]);
	});

	test.each([
		[
			"a tool that runs",
			{ type: "tool_execution_start", ...TOOL, args: {} },
			{ type: "tool_execution_end", ...TOOL, isError: false },
		],
		[
			"a compaction",
			{ type: "compaction_start", reason: "threshold" },
			{ type: "compaction_end", reason: "threshold", aborted: false, willRetry: false },
		],
		[
			"a retry that waits",
			{ type: "auto_retry_start", attempt: 1, maxAttempts: 3, delayMs: 1, errorMessage: "503" },
			{ type: "agent_start" },
		],
		[
			"a dialog",
			{ type: "waiting_start", reason: "person" },
			{ type: "waiting_end", reason: "person" },
		],
		[
			"a provider that has to be left alone",
			{ type: "waiting_start", reason: "provider" },
			{ type: "waiting_end", reason: "provider" },
		],
	])("is not that of %s (STATUS-11)", async (_, start, end) => {
		const { clock, session, reached } = watched({ warn: 10 });
		session.emit(start);
		await clock.advance(3_600_000);
		expect(reached).toEqual([]);
		session.emit(end);
		await clock.advance(9999);
		expect(reached).toEqual([]);
		await clock.advance(1);
		expect(reached).toEqual(["warn at 3610"]);
	});

	test("of two waits ends with the last one; an end without a start does no harm", async () => {
		const { clock, session, reached } = watched({ warn: 10 });
		session.emit({ type: "waiting_end", reason: "person" });
		session.emit({ type: "waiting_start", reason: "person" });
		session.emit({ type: "waiting_start", reason: "person" });
		session.emit({ type: "waiting_end", reason: "person" });
		await clock.advance(60_000);
		expect(reached).toEqual([]);
		session.emit({ type: "waiting_end", reason: "person" });
		await clock.advance(10_000);
		expect(reached).toEqual(["warn at 70"]);
	});

	test("is not listened for any more when the watch was stopped", async () => {
		const { clock, session, reached, watch } = watched({ warn: 10 });
		watch.stop();
		session.emit({ type: "turn_start" });
		await clock.advance(60_000);
		expect(reached).toEqual([]);
		expect(clock.pendingTimers).toBe(0);
	});
});

test("an agent that is not heard of is asked, then cut off; what it was asked is no message of others", async () => {
	const clock = fakeClock();
	const session = hostLikeSession(
		({ signal }) =>
			new Promise((resolve) =>
				signal.addEventListener("abort", () => resolve({ stopReason: "aborted" })),
			),
	);
	const running = runAgent({
		prompt: "task",
		limits: { stallSteerSeconds: 60, stallSeconds: 90 },
		clock,
		createSession: async () => session,
	});
	await clock.advance(60_000);
	const steered = session.calls.filter((call) => call.method === "steer");
	expect(steered.map(({ text }) => text.split(".")[0])).toEqual([
		"Nothing was heard of you for a while",
	]);
	await clock.advance(30_000);
	expect(await running).toMatchObject({
		outcome: { status: "aborted", reason: "stalled", detail: "nothing happened for 90 seconds" },
		unreadMessages: [],
	});
	expect(clock.pendingTimers).toBe(0);
});
