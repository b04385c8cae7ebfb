import { AgentManager } from "@pi-subagents/runner";
import {
	type FakeClock,
	fakeClock,
	type MockSession,
	mockSession,
} from "@pi-subagents/test-helpers";
import { beforeEach, expect, test } from "vitest";
import { createStallWarnings, type StallWarnings } from "../src/delivery/stall-warnings.js";

let clock: FakeClock;
let manager: AgentManager;
let session: MockSession;
let stalls: StallWarnings;
let person: string[];
let parent: string[];
let atRest: boolean;

beforeEach(async () => {
	clock = fakeClock();
	session = mockSession();
	person = [];
	parent = [];
	atRest = true;
	manager = new AgentManager({
		createSession: async () => session,
		keepSessions: false,
		clock,
		newId: () => "a1",
	});
	stalls = createStallWarnings({
		manager,
		clock,
		seconds: () => 300,
		isParentAtRest: () => atRest,
		tellPerson: (line) => person.push(line),
		tellParent: (text) => parent.push(text),
	});
	const task = { type: "worker", description: "Find bugs", prompt: "Work.", context: undefined };
	manager.spawn({ ...task, background: true });
	await clock.advance(0);
});

const WARNING =
	'Nothing was heard of a1 (worker "Find bugs") for 5m 00s, while its model should answer.';

test("a silent agent is told of once, to the person and to a parent at rest", async () => {
	await clock.advance(299_999);
	expect(person).toEqual([]);
	await clock.advance(1);
	stalls.check();
	await clock.advance(3_600_000);
	expect(person).toEqual([WARNING]);
	expect(parent).toEqual([
		`${WARNING}\nIts provider may be slow or gone. End your turn to wait on, or stop it with stop_subagent.`,
	]);
});

test("a busy parent is told when it rests, with the time that it has become, if it is still true", async () => {
	atRest = false;
	await clock.advance(300_000);
	await clock.advance(60_000);
	atRest = true;
	stalls.check();
	expect(parent).toHaveLength(1);
	expect(parent[0]).toContain("for 6m 00s");
});

test("an agent that goes on is not told of any more, and again when it falls silent again", async () => {
	atRest = false;
	await clock.advance(300_000);
	const record = manager.getRecord("a1");
	if (record === undefined) throw new Error("There is no a1.");
	expect(stalls.of(record)).toBe(WARNING);
	session.emit({ type: "turn_start" });
	expect(stalls.of(record)).toBeUndefined();
	atRest = true;
	stalls.check();
	expect(parent).toEqual([]);
	await clock.advance(300_000);
	expect(person).toEqual([WARNING, WARNING]);
	expect(parent).toHaveLength(1);
});

test("nothing is watched after the end of the run, nor after that of the session", async () => {
	session.finishPrompt();
	await clock.advance(0);
	expect(clock.pendingTimers).toBe(0);
	stalls.stop();
	await clock.advance(3_600_000);
	expect(person).toEqual([]);
});
