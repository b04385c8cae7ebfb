import type { AgentRecord } from "@pi-subagents/core";
import { createTestRecord, type MockSession, mockSession } from "@pi-subagents/test-helpers";
import { beforeEach, describe, expect, test } from "vitest";
import { type Compaction, subscribeRecordObserver } from "../src/index.js";
import { compactionEnd, messageEnd, toolEnd, toolStart, turnEnd } from "./events.js";

let session: MockSession;
let record: AgentRecord;
beforeEach(() => {
	session = mockSession();
	record = newRecord();
});

function newRecord(): AgentRecord {
	const nothing = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0 };
	return createTestRecord({ status: "running", toolUses: 0, lifetimeUsage: nothing });
}

test("a tool call counts when it ends, whatever its outcome and whether its start was seen", () => {
	subscribeRecordObserver(session, record);
	session.emit(toolStart("a"));
	expect(record.toolUses).toBe(0);
	session.emit(toolEnd("a"));
	session.emit(toolEnd("b", "bash", true));
	expect(record.toolUses).toBe(2);
});

test("a turn counts when it ends", () => {
	subscribeRecordObserver(session, record);
	session.emit({ type: "turn_start" });
	expect(record.turnCount).toBe(0);
	session.emit(turnEnd());
	expect(record.turnCount).toBe(1);
});

describe("usage", () => {
	test("of assistant messages is summed, with cost in either form", () => {
		subscribeRecordObserver(session, record);
		const usage = { input: 100, output: 20, cacheRead: 40, cacheWrite: 3 };
		session.emit(messageEnd({ ...usage, cost: { total: 0.25 } }));
		session.emit(messageEnd({ ...usage, cost: 0.5 }));
		const sum = { input: 200, output: 40, cacheRead: 80, cacheWrite: 6, cost: 0.75 };
		expect(record.lifetimeUsage).toEqual(sum);
	});

	test("of anybody else's messages is not", () => {
		subscribeRecordObserver(session, record);
		const usage = { input: 100, output: 20, cost: 1 };
		for (const role of ["user", "toolResult", "system", "custom"]) {
			session.emit(messageEnd(usage, role));
		}
		expect(record.lifetimeUsage).toEqual(newRecord().lifetimeUsage);
	});

	test("that is missing or no number counts as nothing", () => {
		subscribeRecordObserver(session, record);
		session.emit(messageEnd());
		session.emit(messageEnd({ input: Number.NaN, output: Number.POSITIVE_INFINITY }));
		session.emit(messageEnd({ input: undefined, cost: {} }));
		session.emit(messageEnd({ cost: Number.NaN }));
		// @ts-expect-error what an exotic provider may send
		session.emit(messageEnd({ input: "100", output: null, cost: { total: "1" } }));
		expect(record.lifetimeUsage).toEqual(newRecord().lifetimeUsage);
	});

	test("is untouched by a compaction", () => {
		subscribeRecordObserver(session, record);
		session.emit(messageEnd({ input: 100, output: 20 }));
		session.emit(compactionEnd());
		expect(record.lifetimeUsage).toMatchObject({ input: 100, output: 20 });
	});
});

describe("a compaction", () => {
	test("that worked is counted, then told with its size", () => {
		const told: Array<{ record: AgentRecord; compaction: Compaction; count: number }> = [];
		subscribeRecordObserver(session, record, {
			onCompact: (of, compaction) =>
				told.push({ record: of, compaction, count: of.compactionCount }),
		});
		session.emit(compactionEnd({ reason: "overflow", result: { tokensBefore: 9000 } }));
		expect(told).toEqual([
			{ record, compaction: { reason: "overflow", tokensBefore: 9000 }, count: 1 },
		]);
	});

	test("that was aborted or failed is neither counted nor told", () => {
		const told: Compaction[] = [];
		subscribeRecordObserver(session, record, {
			onCompact: (_, compaction) => told.push(compaction),
		});
		session.emit(compactionEnd({ aborted: true, result: undefined }));
		session.emit(compactionEnd({ aborted: true }));
		session.emit(compactionEnd({ result: undefined, errorMessage: "no model" }));
		expect(record.compactionCount).toBe(0);
		expect(told).toEqual([]);
	});

	test("is counted although onCompact throws, and only onError hears of that", () => {
		const errors: unknown[] = [];
		const failure = new Error("cannot notify");
		subscribeRecordObserver(session, record, {
			onCompact() {
				throw failure;
			},
			onError: (error) => errors.push(error),
		});
		session.emit(compactionEnd());
		session.emit(turnEnd());
		expect(errors).toEqual([failure]);
		expect(record).toMatchObject({ compactionCount: 1, turnCount: 1 });
	});
});

test("the same events are no business of the status", () => {
	subscribeRecordObserver(session, record);
	session.emit({ type: "agent_start" });
	session.emit({ type: "agent_end" });
	expect(record.status).toBe("running");
});

test("two observers of one session keep two records apart", () => {
	const other = newRecord();
	const stop = subscribeRecordObserver(session, record);
	subscribeRecordObserver(session, other);
	session.emit(toolEnd("a"));
	stop();
	session.emit(toolEnd("b"));
	expect([record.toolUses, other.toolUses]).toEqual([1, 2]);
});
