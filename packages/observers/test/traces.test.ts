import { AgentRecord } from "@pi-subagents/core";
import {
	loadTrace,
	mockSession,
	replayTrace,
	type TraceHost,
	type TraceName,
	traceNames,
} from "@pi-subagents/test-helpers";
import { describe, expect, test } from "vitest";
import {
	type Compaction,
	createActivity,
	subscribeRecordObserver,
	subscribeUIObserver,
} from "../src/index.js";

interface Expected {
	/** Tool uses, turns, compactions. */
	readonly counts: readonly [toolUses: number, turns: number, compactions: number];
	/** Input, output and cache-read tokens; none of the recordings writes to the cache. */
	readonly tokens: readonly [input: number, output: number, cacheRead: number];
	readonly cost: number;
	/** The most tools that were active at the same time. */
	readonly parallel: number;
	/** What stands in the activity at the end. */
	readonly text: string;
	readonly compactions: readonly Compaction[];
}

function expected(
	counts: Expected["counts"],
	tokens: Expected["tokens"],
	cost: number,
	rest: Partial<Expected> = {},
): Expected {
	return { counts, tokens, cost, parallel: 0, text: "", compactions: [], ...rest };
}

const BOTH = {
	"abort-before-first-token": expected([0, 1, 0], [0, 0, 0], 0),
	"abort-in-text": expected([0, 1, 0], [0, 0, 0], 0, { text: "w0 w1 w2 w3 " }),
	"abort-in-tool": expected([1, 2, 0], [100, 10, 0], 0.00012, { parallel: 1 }),
	"compaction-aborted": expected([0, 2, 0], [200, 20, 0], 0.00024, { text: "second" }),
	"compaction-failed": expected([0, 2, 0], [17100, 20, 0], 0.01714, { text: "big" }),
	"compaction-manual": expected([0, 2, 1], [200, 20, 0], 0.00024, {
		text: "second",
		compactions: [{ reason: "manual", tokensBefore: 110 }],
	}),
	"compaction-threshold": expected([0, 3, 1], [17200, 30, 0], 0.01726, {
		text: "after",
		compactions: [{ reason: "threshold", tokensBefore: 17010 }],
	}),
	"connection-lost": expected([0, 1, 0], [0, 0, 0], 0),
	"dispose-in-run": expected([0, 0, 0], [0, 0, 0], 0),
	"error-fatal": expected([0, 1, 0], [0, 0, 0], 0),
	"follow-up": expected([0, 2, 0], [200, 20, 0], 0.00024, { text: "two" }),
	"output-limit": expected([0, 1, 0], [100, 4000, 0], 0.0081, { text: "cut" }),
	plain: expected([0, 1, 0], [60, 10, 40], 0.000084, { text: "hello" }),
	"retry-aborted": expected([0, 1, 0], [0, 0, 0], 0),
	"retry-exhausted": expected([0, 3, 0], [0, 0, 0], 0),
	"retry-succeeded": expected([0, 3, 0], [100, 10, 0], 0.00012, { text: "recovered" }),
	"steer-idle": expected([0, 2, 0], [200, 20, 0], 0.00024, { text: "three" }),
	"steer-in-text": expected([0, 2, 0], [200, 20, 0], 0.00024, { text: "two" }),
	"steer-in-tool": expected([1, 2, 0], [200, 20, 0], 0.00024, { parallel: 1, text: "after steer" }),
	tool: expected([1, 2, 0], [200, 20, 0], 0.00024, { parallel: 1, text: "done" }),
	"tool-errors": expected([4, 2, 0], [200, 20, 0], 0.00024, { parallel: 3, text: "done" }),
	"tool-terminates": expected([1, 1, 0], [100, 10, 0], 0.00012, { parallel: 1 }),
	"tools-parallel": expected([2, 2, 0], [200, 20, 0], 0.00024, { parallel: 2, text: "done" }),
};

const EXPECTED: Readonly<Record<TraceHost, Readonly<Record<TraceName, Expected>>>> = {
	"0.73.1": {
		...BOTH,
		"compaction-in-run": expected([1, 3, 0], [17200, 30, 0], 0.01726, {
			parallel: 1,
			text: "after tool",
		}),
		"compaction-overflow": expected([0, 3, 1], [100, 10, 0], 0.00012, {
			compactions: [{ reason: "overflow", tokensBefore: 166 }],
		}),
		"custom-messages": expected([1, 7, 0], [700, 70, 0], 0.00084, { parallel: 1, text: "END" }),
		"output-limit-retried": expected([0, 1, 0], [100, 10, 0], 0.00012, { text: "cut" }),
	},
	"1.6.0": {
		...BOTH,
		"compaction-in-run": expected([1, 3, 1], [17200, 30, 0], 0.01726, {
			parallel: 1,
			text: "after tool",
			compactions: [{ reason: "threshold", tokensBefore: 17011 }],
		}),
		"compaction-overflow": expected([0, 3, 1], [200, 20, 0], 0.00024, {
			text: "OK (no script)",
			compactions: [{ reason: "overflow", tokensBefore: 1002 }],
		}),
		"custom-messages": expected([1, 6, 0], [600, 60, 0], 0.00072, { parallel: 1, text: "END" }),
		"output-limit-retried": expected([0, 2, 1], [200, 20, 0], 0.00024, {
			text: "OK (no script)",
			compactions: [{ reason: "overflow", tokensBefore: 347 }],
		}),
	},
};

describe.each<TraceHost>(["0.73.1", "1.6.0"])("what %s sends", (host) => {
	test.each(traceNames(host))("in %s gives the known numbers", (name) => {
		const session = mockSession();
		const record = new AgentRecord({ id: "a", type: "t", description: "d", status: "running" });
		const activity = createActivity();
		const compactions: Compaction[] = [];
		let parallel = 0;
		subscribeRecordObserver(session, record, {
			onCompact: (_, compaction) => compactions.push(compaction),
		});
		subscribeUIObserver(session, activity, () => {
			parallel = Math.max(parallel, activity.activeTools.size);
		});
		replayTrace(session, loadTrace(host, name));

		const { input, output, cacheRead, cacheWrite, cost } = record.lifetimeUsage;
		expect({
			counts: [record.toolUses, record.turnCount, record.compactionCount],
			tokens: [input, output, cacheRead],
			cost: Number(cost.toFixed(9)),
			parallel,
			text: activity.responseText,
			compactions,
		}).toEqual(EXPECTED[host][name]);
		expect(cacheWrite).toBe(0);
		expect(activity).toMatchObject({
			toolUses: record.toolUses,
			turnCount: record.turnCount,
			lifetimeUsage: record.lifetimeUsage,
		});
		expect(activity.activeTools.size).toBe(0);
	});
});
