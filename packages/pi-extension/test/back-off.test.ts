import type { SessionMessage } from "@pi-subagents/core";
import { type FakeClock, fakeClock, mockSession } from "@pi-subagents/test-helpers";
import { beforeEach, describe, expect, test } from "vitest";
import { isRateLimit, promptPatiently } from "../src/child/back-off.js";
import { createProviderGate, type ProviderGate } from "../src/child/provider-gate.js";

let clock: FakeClock;
let gate: ProviderGate;
let asked: string[];
beforeEach(() => {
	clock = fakeClock();
	gate = createProviderGate(clock);
	asked = [];
});

const GOOD: SessionMessage = { role: "assistant", stopReason: "stop", content: "done" };
const REFUSED: SessionMessage = {
	role: "assistant",
	stopReason: "error",
	errorMessage: "429 Too Many Requests",
};

/** A child whose prompts end as the list says, the last entry for ever. */
function child(name: string, answers: readonly SessionMessage[], provider = "p") {
	const stop = new AbortController();
	const session = mockSession();
	let count = 0;
	let ended = false;
	const waits: string[] = [];
	const done = promptPatiently(
		{
			subscribe: session.subscribe,
			send: async (text) => {
				asked.push(`${name} at ${clock.now() / 1000}: ${text.split(" ")[0]}`);
				count++;
			},
			lastMessage: () => answers[Math.min(count, answers.length) - 1],
			waiting: (type) => waits.push(type),
		},
		"Task",
		{ gate, clock, provider, signal: stop.signal, seconds: 15 },
	).then(() => {
		ended = true;
	});
	return {
		stop,
		session,
		waits,
		done,
		get ended() {
			return ended;
		},
	};
}

describe("a prompt that the provider refuses because it is asked too often", () => {
	test("is tried again, each time after twice as long, and goes on when it is taken (CONC-03)", async () => {
		const agent = child("a", [REFUSED, REFUSED, GOOD]);
		await clock.advance(60_000);
		expect(asked).toEqual(["a at 0: Task", "a at 1: The", "a at 3: The"]);
		expect(agent.ended).toBe(true);
		expect(agent.waits).toEqual(["waiting_start", "waiting_end", "waiting_start", "waiting_end"]);
		expect(clock.pendingTimers).toBe(0);
	});

	test("fails within a bound if it is never taken (CONC-03, CONC-07)", async () => {
		const agent = child("a", [REFUSED]);
		await clock.advance(60_000);
		expect(asked.map((line) => line.split(":")[0])).toEqual([
			"a at 0",
			"a at 1",
			"a at 3",
			"a at 7",
			"a at 15",
		]);
		expect(agent.ended).toBe(true);
	});

	test("ends at once when its agent is stopped (CONC-03, ABORT-10)", async () => {
		const agent = child("a", [REFUSED]);
		await clock.advance(500);
		agent.stop.abort();
		await clock.advance(0);
		expect(agent.ended).toBe(true);
		await clock.advance(60_000);
		expect(asked).toHaveLength(1);
		expect(clock.pendingTimers).toBe(0);
	});

	test("is not tried again if waiting does not help (CONC-07, CONC-09)", async () => {
		const errorMessage = "429 You exceeded your current quota, check your billing details.";
		const agent = child("a", [{ ...REFUSED, errorMessage }]);
		await clock.advance(60_000);
		expect(asked).toHaveLength(1);
		expect(agent.ended).toBe(true);
	});
});

describe("while one agent backs off", () => {
	async function backOff(): Promise<void> {
		const agent = child("a", [GOOD]);
		agent.session.emit({
			type: "auto_retry_start",
			attempt: 1,
			maxAttempts: 3,
			delayMs: 2000,
			errorMessage: "429 Too Many Requests",
		});
		await clock.advance(0);
		asked.length = 0;
	}

	test("others of its provider ask after it, in turn and apart; those of another at once", async () => {
		await backOff();
		child("b", [GOOD]);
		child("c", [GOOD]);
		child("d", [GOOD], "other");
		await clock.advance(60_000);
		expect(asked).toEqual(["d at 0: Task", "b at 2: Task", "c at 2.25: Task"]);
	});

	test("one that is stopped gives its place away", async () => {
		await backOff();
		const first = child("b", [GOOD]);
		child("c", [GOOD]);
		first.stop.abort();
		await clock.advance(60_000);
		expect(asked).toEqual(["c at 2: Task"]);
	});

	test("nobody waits longer than one prompt may", async () => {
		await backOff();
		gate.close("p", 3_600_000);
		const agent = child("b", [GOOD]);
		await clock.advance(15_000);
		expect(agent.ended).toBe(true);
		expect(asked).toEqual(["b at 15: Task"]);
	});
});

test("eight agents that are refused together do not ask all at once again, and all end (CONC-03)", async () => {
	const names = ["a", "b", "c", "d", "e", "f", "g", "h"];
	const agents = names.map((name) => child(name, [REFUSED, GOOD]));
	await clock.advance(60_000);
	expect(agents.every((agent) => agent.ended)).toBe(true);
	const again = asked.slice(8).map((line) => line.split(":")[0]);
	expect(again.slice(0, 3)).toEqual(["a at 1", "b at 1.25", "c at 1.5"]);
	expect(again).toHaveLength(8);
});

test.each([
	["429 Too Many Requests", true],
	["Rate limit reached for requests", true],
	["503 overloaded", false],
	["429 insufficient_quota", false],
	[undefined, false],
])("%s is a matter of waiting: %s", (message, expected) => {
	expect(isRateLimit(message)).toBe(expected);
});
