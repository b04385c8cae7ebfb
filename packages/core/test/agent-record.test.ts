import { describe, expect, test } from "vitest";
import {
	AgentRecord,
	type AgentRecordSnapshot,
	IllegalTransitionError,
	type RunEnd,
} from "../src/index.js";

const INIT = { id: "a1", type: "Explore", description: "Find the bug" };
const DONE: RunEnd = { outcome: { status: "completed", reason: "finished" }, result: "Found it." };
const STOPPED: RunEnd = { outcome: { status: "stopped", reason: "user" } };

function running(): AgentRecord {
	const record = new AgentRecord({ ...INIT, createdAt: 1000 });
	record.markRunning(1100);
	return record;
}

describe("a new record", () => {
	test("is queued and has used nothing", () => {
		expect(new AgentRecord({ ...INIT, createdAt: 1000 }).toSnapshot()).toStrictEqual({
			...INIT,
			status: "queued",
			createdAt: 1000,
			toolUses: 0,
			turnCount: 0,
			compactionCount: 0,
			lifetimeUsage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0 },
			runCount: 1,
		});
	});

	test("was created when it started, if nothing else is said", () => {
		expect(new AgentRecord({ ...INIT, startedAt: 5 }).createdAt).toBe(5);
	});
});

describe("a run", () => {
	test("starts, and ends with its outcome, text and time", () => {
		const record = running();
		expect(record.isTerminal).toBe(false);
		expect(record.markEnded(DONE, 2000)).toBe(true);
		expect(record).toMatchObject({
			status: "completed",
			outcome: { status: "completed", reason: "finished" },
			result: "Found it.",
			error: undefined,
			startedAt: 1100,
			completedAt: 2000,
			runCount: 1,
			isTerminal: true,
		});
	});

	test("may fail with the words of the provider", () => {
		const record = running();
		const outcome = { status: "error", reason: "provider_error", detail: "503" } as const;
		record.markEnded({ outcome, error: "503 overloaded" }, 2000);
		expect(record).toMatchObject({ status: "error", outcome, error: "503 overloaded" });
		expect(record.result).toBeUndefined();
	});

	test("may end before it started, which counts as a run", () => {
		const record = new AgentRecord(INIT);
		const outcome = { status: "stopped", reason: "parent", neverStarted: true } as const;
		expect(record.markEnded({ outcome }, 2000)).toBe(true);
		expect(record).toMatchObject({ status: "stopped", outcome, runCount: 1, completedAt: 2000 });
		expect(record.startedAt).toBeUndefined();
	});

	test("that is resumed keeps the last result until it starts, then clears what the last one left", () => {
		const record = running();
		record.markEnded(DONE, 2000);
		record.addToolUse();
		expect(record.markQueued()).toBe(true);
		expect(record.result).toBe("Found it.");
		expect(record.markRunning(3000)).toBe(true);
		expect(record).toMatchObject({
			status: "running",
			outcome: undefined,
			result: undefined,
			error: undefined,
			startedAt: 3000,
			completedAt: undefined,
			runCount: 2,
			toolUses: 1,
		});
	});
});

describe("a run that ends after it was stopped", () => {
	test("keeps stopped, its reason and its time, and brings its partial text", () => {
		const record = running();
		record.markEnded(STOPPED, 2000);
		expect(record.markEnded({ ...DONE, result: "Half of" }, 2500)).toBe(true);
		expect(record).toMatchObject({
			status: "stopped",
			outcome: { status: "stopped", reason: "user" },
			result: "Half of",
			completedAt: 2000,
		});
	});

	test("adds to the outcome what the stop could not know", () => {
		const record = running();
		record.markEnded(STOPPED, 2000);
		const detail = "bash still ran 5 seconds after it was told to stop, so it was given up";
		record.markEnded({ outcome: { status: "stopped", reason: "parent", detail } }, 7000);
		expect(record.outcome).toEqual({ status: "stopped", reason: "user", detail });
	});

	test("does not replace the text that the stop brought", () => {
		const record = running();
		record.markEnded({ ...STOPPED, result: "partial" }, 2000);
		record.markEnded({ ...DONE, result: "late", error: "aborted" }, 2500);
		expect(record.result).toBe("partial");
		expect(record.error).toBe("aborted");
	});

	test("is expected once", () => {
		const record = running();
		record.markEnded(STOPPED, 2000);
		record.markEnded(DONE, 2500);
		expect(() => record.markEnded(DONE, 2600)).toThrow(IllegalTransitionError);
	});

	test("is not expected if it never started", () => {
		const record = new AgentRecord(INIT);
		record.markEnded(STOPPED, 2000);
		expect(() => record.markEnded(DONE, 2500)).toThrow(
			"Agent a1 cannot go from stopped to completed.",
		);
	});

	test("is not expected any more once the next run has started", () => {
		const record = running();
		record.markEnded(STOPPED, 2000);
		record.markRunning(3000);
		record.markEnded(DONE, 4000);
		expect(record).toMatchObject({ status: "completed", completedAt: 4000 });
	});
});

describe("a transition that is not allowed", () => {
	test("throws and changes nothing", () => {
		const record = running();
		record.markEnded(DONE, 2000);
		const before = record.toSnapshot();
		expect(() => record.markEnded(STOPPED, 3000)).toThrow(IllegalTransitionError);
		expect(record.toSnapshot()).toStrictEqual(before);
	});

	test("is only told where a program has to go on, and changes nothing", () => {
		const refused: string[] = [];
		const record = new AgentRecord(INIT, { onRefused: (error) => refused.push(error.message) });
		const before = record.toSnapshot();
		expect(record.markQueued()).toBe(false);
		expect(record.markEnded(DONE, 2000)).toBe(false);
		expect(record.toSnapshot()).toStrictEqual(before);
		record.markRunning(1);
		expect(record.markRunning(2)).toBe(false);
		expect(record.startedAt).toBe(1);
		expect(refused).toEqual([
			"Agent a1 cannot go from queued to queued.",
			"Agent a1 cannot go from queued to completed.",
			"Agent a1 cannot go from running to running.",
		]);
	});
});

describe("statistics", () => {
	test("are counted by their own methods", () => {
		const record = running();
		record.addToolUse();
		record.addToolUse();
		record.addTurn();
		record.addCompaction();
		record.addUsage({ input: 60, output: 10, cacheRead: 40, cost: { total: 0.5 } });
		record.addUsage(undefined);
		record.setSessionFile("/sessions/a1.jsonl");
		expect(record).toMatchObject({
			toolUses: 2,
			turnCount: 1,
			compactionCount: 1,
			lifetimeUsage: { input: 60, output: 10, cacheRead: 40, cacheWrite: 0, cost: 0.5 },
			sessionFile: "/sessions/a1.jsonl",
		});
	});

	test("that were read do not change later", () => {
		const record = running();
		const before = record.lifetimeUsage;
		record.addUsage({ input: 1 });
		expect(before.input).toBe(0);
	});
});

describe("a snapshot", () => {
	const full: AgentRecordSnapshot = {
		...INIT,
		status: "error",
		outcome: { status: "error", reason: "provider_error", detail: "503", neverStarted: false },
		result: "Half of",
		error: "503 overloaded",
		createdAt: 1000,
		startedAt: 1100,
		completedAt: 2000,
		toolUses: 3,
		turnCount: 4,
		compactionCount: 1,
		lifetimeUsage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, cost: 0.5 },
		runCount: 2,
		parentId: "a0",
		sessionFile: "/sessions/a1.jsonl",
	};

	test("is plain JSON that restores the same record", () => {
		const restored = new AgentRecord(JSON.parse(JSON.stringify(full)));
		expect(restored.toSnapshot()).toStrictEqual(full);
	});

	test("is not touched by what happens later, nor the record by it", () => {
		const record = new AgentRecord(full);
		const snapshot = record.toSnapshot();
		record.addUsage({ input: 100 });
		expect(snapshot).toStrictEqual(full);
		expect(full.lifetimeUsage.input).toBe(1);
		expect(snapshot.outcome).not.toBe(record.outcome);
	});

	test("does not expect the late end of a run that another process stopped", () => {
		const record = running();
		record.markEnded(STOPPED, 2000);
		const restored = new AgentRecord(record.toSnapshot());
		expect(() => restored.markEnded(DONE, 3000)).toThrow(IllegalTransitionError);
	});
});
