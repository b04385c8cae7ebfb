import { AGENT_STATUSES, IllegalTransitionError } from "@pi-subagents/core";
import { expect, test } from "vitest";
import { createTestRecord } from "../src/index.js";

test("a record has every default", () => {
	expect(createTestRecord().toSnapshot()).toStrictEqual({
		id: "agent-1",
		type: "general-purpose",
		description: "Test task",
		status: "completed",
		outcome: { status: "completed", reason: "finished" },
		result: "All done.",
		createdAt: 1000,
		startedAt: 1000,
		completedAt: 2000,
		toolUses: 3,
		turnCount: 0,
		compactionCount: 0,
		lifetimeUsage: { input: 500, output: 500, cacheRead: 0, cacheWrite: 0, cost: 0 },
		runCount: 1,
	});
});

test("overrides replace defaults and add members that have none", () => {
	const record = createTestRecord({ id: "agent-2", toolUses: 0, sessionFile: "/tmp/s.jsonl" });
	expect(record.id).toBe("agent-2");
	expect(record.toolUses).toBe(0);
	expect(record.sessionFile).toBe("/tmp/s.jsonl");
	expect(record.result).toBe("All done.");
});

test("an override with undefined clears the default", () => {
	const record = createTestRecord({
		result: undefined,
		outcome: undefined,
		completedAt: undefined,
		lifetimeUsage: undefined,
		status: undefined,
	});
	expect(record.result).toBeUndefined();
	expect(record.outcome).toBeUndefined();
	expect(record.completedAt).toBeUndefined();
	expect(record.lifetimeUsage.input).toBe(0);
	expect(record.status).toBe("queued");
});

test("the outcome follows the status", () => {
	const reasons = AGENT_STATUSES.map((status) => createTestRecord({ status }).outcome?.reason);
	expect(
		Object.fromEntries(AGENT_STATUSES.map((status, index) => [status, reasons[index]])),
	).toEqual({
		queued: undefined,
		running: undefined,
		completed: "finished",
		steered: "turn_limit",
		aborted: "turn_limit",
		stopped: "user",
		error: "provider_error",
	});
});

test("a record that has not ended has no result and no end", () => {
	const running = createTestRecord({ status: "running" });
	expect(running.startedAt).toBe(1000);
	expect(running.completedAt).toBeUndefined();
	expect(running.result).toBeUndefined();
	const queued = createTestRecord({ status: "queued" });
	expect(queued.startedAt).toBeUndefined();
	expect(queued.runCount).toBe(1);
});

test("an illegal transition throws", () => {
	const record = createTestRecord({ status: "completed" });
	const end = { outcome: { status: "error", reason: "failed" } } as const;
	expect(() => record.markEnded(end, 3000)).toThrow(IllegalTransitionError);
});
