import { type MockSession, mockSession } from "@pi-subagents/test-helpers";
import { beforeEach, describe, expect, test } from "vitest";
import { type AgentActivity, createActivity, subscribeUIObserver } from "../src/index.js";
import {
	compactionEnd,
	messageEnd,
	messageStart,
	textDelta,
	thinkingDelta,
	toolEnd,
	toolStart,
	turnEnd,
} from "./events.js";

let session: MockSession;
let activity: AgentActivity;
beforeEach(() => {
	session = mockSession();
	activity = createActivity();
});

const active = (): string[] => [...activity.activeTools.keys()];

test("a new activity is empty", () => {
	expect(createActivity(12)).toEqual({
		activeTools: new Map(),
		toolUses: 0,
		turnCount: 0,
		maxTurns: 12,
		responseText: "",
		lifetimeUsage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0 },
	});
	expect(createActivity()).not.toHaveProperty("maxTurns");
});

describe("tools", () => {
	test("are active under their call id from start to end", () => {
		subscribeUIObserver(session, activity);
		session.emit(toolStart("call-1", "read", { path: "a.txt" }));
		expect(activity.activeTools).toEqual(
			new Map([["call-1", { toolCallId: "call-1", toolName: "read", args: { path: "a.txt" } }]]),
		);
		expect(activity.toolUses).toBe(0);
		session.emit(toolEnd("call-1"));
		expect(active()).toEqual([]);
		expect(activity.toolUses).toBe(1);
	});

	test("of the same name are two, and may end in any order", () => {
		subscribeUIObserver(session, activity);
		session.emit(toolStart("call-1", "read", { path: "a.txt" }));
		session.emit(toolStart("call-2", "read", { path: "b.txt" }));
		session.emit(toolStart("call-3", "bash"));
		expect(active()).toEqual(["call-1", "call-2", "call-3"]);
		session.emit(toolEnd("call-2"));
		expect(active()).toEqual(["call-1", "call-3"]);
		session.emit(toolEnd("call-3", "bash"));
		session.emit(toolEnd("call-1"));
		expect(active()).toEqual([]);
		expect(activity.toolUses).toBe(3);
	});

	test("that end without a start are counted and disturb no other", () => {
		subscribeUIObserver(session, activity);
		session.emit(toolStart("call-1"));
		session.emit(toolEnd("never-started"));
		expect(active()).toEqual(["call-1"]);
		expect(activity.toolUses).toBe(1);
	});

	test("are not active any more when a run dies with them", () => {
		let updates = 0;
		subscribeUIObserver(session, activity, () => updates++);
		session.emit(toolStart("call-1"));
		session.emit({ type: "agent_end" });
		expect(active()).toEqual([]);
		expect([activity.toolUses, updates]).toEqual([0, 2]);
	});

	test("are not active any more after unsubscribing", () => {
		const stop = subscribeUIObserver(session, activity);
		session.emit(toolStart("call-1"));
		stop();
		session.emit(toolStart("call-2"));
		expect(active()).toEqual([]);
	});
});

describe("the response text", () => {
	test("is what the assistant writes, without its thinking", () => {
		subscribeUIObserver(session, activity);
		session.emit(messageStart());
		session.emit(thinkingDelta("hm"));
		session.emit(textDelta("Hello "));
		session.emit(textDelta("world"));
		expect(activity.responseText).toBe("Hello world");
	});

	test("stays after the message and is cleared by the next one", () => {
		subscribeUIObserver(session, activity);
		session.emit(messageStart());
		session.emit(textDelta("first"));
		session.emit(messageEnd());
		session.emit(turnEnd());
		expect(activity.responseText).toBe("first");
		session.emit(messageStart());
		expect(activity.responseText).toBe("");
	});

	test("is not cleared by messages of others", () => {
		subscribeUIObserver(session, activity);
		session.emit(textDelta("text"));
		for (const role of ["user", "toolResult", "custom"]) session.emit(messageStart(role));
		expect(activity.responseText).toBe("text");
	});
});

test("turns and the usage of assistant messages are counted", () => {
	subscribeUIObserver(session, activity);
	session.emit(messageEnd({ input: 10, output: 5, cost: { total: 0.5 } }));
	session.emit(messageEnd({ input: 1000 }, "user"));
	session.emit(messageEnd({ input: Number.NaN, cacheRead: 7, cacheWrite: 2, cost: 0.25 }));
	session.emit(turnEnd());
	expect(activity.turnCount).toBe(1);
	expect(activity.lifetimeUsage).toEqual({
		input: 10,
		output: 5,
		cacheRead: 7,
		cacheWrite: 2,
		cost: 0.75,
	});
});

describe("onUpdate", () => {
	test("is called after a change, and not without one", () => {
		const seen: number[] = [];
		subscribeUIObserver(session, activity, () => seen.push(activity.toolUses));
		session.emit({ type: "agent_start" });
		session.emit({ type: "turn_start" });
		session.emit(messageStart("user"));
		session.emit(thinkingDelta("hm"));
		session.emit(compactionEnd());
		session.emit({ type: "agent_end" });
		expect(seen).toEqual([]);
		session.emit(toolEnd("call-1"));
		expect(seen).toEqual([1]);
	});

	test("may throw; the session goes on and onError hears of it", () => {
		const errors: unknown[] = [];
		const failure = new Error("cannot draw");
		subscribeUIObserver(
			session,
			activity,
			() => {
				throw failure;
			},
			(error) => errors.push(error),
		);
		session.emit(turnEnd());
		session.emit(turnEnd());
		expect(errors).toEqual([failure, failure]);
		expect(activity.turnCount).toBe(2);
	});

	test("tells what the agent waits for, until it goes on", () => {
		const seen: unknown[] = [];
		subscribeUIObserver(session, activity, () => seen.push(activity.waitingFor));
		session.emit({ type: "waiting_start", reason: "person" });
		session.emit({ type: "waiting_end", reason: "person" });
		const retry = { attempt: 1, maxAttempts: 3, delayMs: 2000, errorMessage: "503 overloaded" };
		session.emit({ type: "auto_retry_start", ...retry });
		session.emit({ type: "agent_start" });
		expect(seen).toEqual(["person", undefined, "provider", undefined]);
	});

	test("may unsubscribe without making another observer miss the event", () => {
		const other = createActivity();
		const stop = subscribeUIObserver(session, activity, () => stop());
		subscribeUIObserver(session, other);
		session.emit(turnEnd());
		session.emit(turnEnd());
		expect([activity.turnCount, other.turnCount]).toEqual([1, 2]);
	});
});
