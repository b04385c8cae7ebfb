import { AgentRecord, type HostEvent } from "@pi-subagents/core";
import { mockSession } from "@pi-subagents/test-helpers";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createActivity, subscribeRecordObserver, subscribeUIObserver } from "../src/index.js";
import {
	compactionEnd,
	emitAnything,
	messageEnd,
	messageStart,
	textDelta,
	toolEnd,
	toolStart,
	turnEnd,
} from "./events.js";

const TYPES = [
	"agent_start",
	"agent_end",
	"turn_start",
	"turn_end",
	"message_start",
	"message_update",
	"message_end",
	"tool_execution_start",
	"tool_execution_update",
	"tool_execution_end",
	"compaction_start",
	"compaction_end",
	"auto_retry_start",
	"auto_retry_end",
];

const newRecord = (): AgentRecord =>
	new AgentRecord({ id: "a", type: "t", description: "d", status: "running" });

/** Anything, but of the numbers only such that their sum is one. */
const anything = fc.anything({
	values: [
		fc.integer(),
		fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, 0.5, null, undefined, true),
		fc.string(),
	],
});

/** Any of the members, each of them possibly missing. */
function some<T extends object>(members: { [K in keyof T]: fc.Arbitrary<T[K]> }) {
	return fc.record(members, { requiredKeys: [] });
}

const usage = some({
	input: anything,
	output: anything,
	cacheRead: anything,
	cacheWrite: anything,
	cost: fc.oneof(anything, some({ total: anything })),
});

const message = some({
	role: fc.oneof(fc.constant("assistant"), anything),
	content: anything,
	usage: fc.oneof(anything, usage),
});

const members = some({
	message: fc.oneof(anything, message),
	assistantMessageEvent: fc.oneof(
		anything,
		fc.record({ type: fc.constant("text_delta"), delta: anything }),
	),
	toolCallId: anything,
	toolName: anything,
	args: anything,
	toolResults: anything,
	result: fc.oneof(anything, some({ tokensBefore: anything })),
	reason: anything,
	aborted: anything,
});

/** An event of a known type in which any member may be missing, or be anything; or no event at all. */
const malformed = fc.oneof(
	anything,
	fc.tuple(fc.constantFrom(...TYPES), members).map(([type, rest]) => ({ ...rest, type })),
);

test("no event, however malformed, makes an observer throw or a statistic no number", () => {
	fc.assert(
		fc.property(fc.array(malformed), (sent) => {
			const session = mockSession();
			const record = newRecord();
			const activity = createActivity();
			const fail = (): never => {
				throw new Error("whoever is told fails");
			};
			subscribeRecordObserver(session, record, { onCompact: fail, onError: fail });
			const stop = subscribeUIObserver(session, activity, fail, fail);
			for (const event of sent) emitAnything(session, event);
			const { toolUses, turnCount, compactionCount, lifetimeUsage } = record;
			const numbers = [toolUses, turnCount, compactionCount, ...Object.values(lifetimeUsage)];
			expect(numbers.every(Number.isFinite)).toBe(true);
			expect(activity.lifetimeUsage).toEqual(lifetimeUsage);
			expect([activity.toolUses, activity.turnCount]).toEqual([toolUses, turnCount]);
			expect(typeof activity.responseText).toBe("string");
			stop();
			expect(activity.activeTools.size).toBe(0);
		}),
		{ numRuns: 500 },
	);
});

const callId = fc.constantFrom("c1", "c2", "c3", "c4");
const tokens = fc.nat(1000);
const wellFormed = fc.oneof(
	callId.map((id) => toolStart(id)),
	callId.map((id) => toolEnd(id)),
	fc.constantFrom("assistant", "user", "toolResult").map((role) => messageStart(role)),
	fc.string({ maxLength: 5 }).map((text) => textDelta(text)),
	fc
		.tuple(tokens, tokens, tokens, tokens, fc.constantFrom("assistant", "user"))
		.map(([input, output, cacheRead, cost, role]) =>
			messageEnd({ input, output, cacheRead, cost }, role),
		),
	fc.constant(turnEnd()),
	fc.boolean().map((aborted) => compactionEnd({ aborted })),
	fc.constantFrom({ type: "agent_start" } as const, { type: "agent_end" } as const),
);

test("in any order of events the statistics are the numbers of events", () => {
	fc.assert(
		fc.property(fc.array(wellFormed), (sent) => {
			const session = mockSession();
			const record = newRecord();
			const activity = createActivity();
			let compacted = 0;
			subscribeRecordObserver(session, record, { onCompact: () => compacted++ });
			const stop = subscribeUIObserver(session, activity);
			for (const event of sent) session.emit<HostEvent>(event);

			const count = (type: string): number => sent.filter((event) => event.type === type).length;
			const compactions = sent.filter(
				(event) => event.type === "compaction_end" && !event.aborted,
			).length;
			const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0 };
			for (const event of sent) {
				if (event.type !== "message_end" || event.message.role !== "assistant") continue;
				usage.input += event.message.usage?.input ?? 0;
				usage.output += event.message.usage?.output ?? 0;
				usage.cacheRead += event.message.usage?.cacheRead ?? 0;
				usage.cost += Number(event.message.usage?.cost ?? 0);
			}
			expect(record).toMatchObject({
				toolUses: count("tool_execution_end"),
				turnCount: count("turn_end"),
				compactionCount: compactions,
				lifetimeUsage: usage,
			});
			expect(compacted).toBe(compactions);
			expect(activity).toMatchObject({
				toolUses: count("tool_execution_end"),
				turnCount: count("turn_end"),
				lifetimeUsage: usage,
			});

			const runs = sent.map((event) => event.type).lastIndexOf("agent_end");
			const open = new Set<string>();
			let text = "";
			for (const [index, event] of sent.entries()) {
				if (event.type === "tool_execution_start" && index > runs) open.add(event.toolCallId);
				if (event.type === "tool_execution_end") open.delete(event.toolCallId);
				if (event.type === "message_start" && event.message.role === "assistant") text = "";
				if (event.type === "message_update") text += event.assistantMessageEvent.delta;
			}
			expect(new Set(activity.activeTools.keys())).toEqual(open);
			expect(activity.responseText).toBe(text);
			stop();
			expect(activity.activeTools.size).toBe(0);
		}),
	);
});
