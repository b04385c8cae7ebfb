import fc from "fast-check";
import { expect, test } from "vitest";
import {
	AgentRecord,
	type AgentStatus,
	canTransition,
	isTerminal,
	type OutcomeReason,
	type RunEnd,
	type TerminalStatus,
} from "../src/index.js";

/** What a record has to be like, kept in the simplest way. */
interface Model {
	status: AgentStatus;
	/** A run was stopped and has not come to its end. */
	lateEnd: boolean;
	outcome: RunEnd["outcome"] | undefined;
	result: string | undefined;
	error: string | undefined;
	startedAt: number | undefined;
	completedAt: number | undefined;
	runCount: number;
	toolUses: number;
	turnCount: number;
	compactionCount: number;
	tokens: number;
	cost: number;
	sessionFile: string | undefined;
	refused: number;
}

interface Real {
	record: AgentRecord;
	refused: number;
}

type Command = fc.Command<Model, Real>;

const statuses = fc.constantFrom<TerminalStatus>(
	"completed",
	"steered",
	"aborted",
	"stopped",
	"error",
);
const reasons = fc.constantFrom<OutcomeReason>("finished", "turn_limit", "user", "failed");
const text = fc.option(fc.string({ maxLength: 5 }), { nil: undefined });
const time = fc.nat(1000);

/** A command that can always be tried; what is allowed is for the record to know. */
function command(name: string, model: (m: Model) => void, real: (r: Real) => void): Command {
	return {
		check: () => true,
		run(m, r) {
			model(m);
			real(r);
			expectSame(m, r);
		},
		toString: () => name,
	};
}

function enter(model: Model, to: AgentStatus): boolean {
	const allowed = canTransition(model.status, to);
	if (allowed) model.status = to;
	else model.refused++;
	return allowed;
}

const queue = fc.constant(
	command(
		"markQueued",
		(model) => {
			if (enter(model, "queued")) model.runCount++;
		},
		(real) => void real.record.markQueued(),
	),
);

const run = time.map((now) =>
	command(
		`markRunning(${now})`,
		(model) => {
			const resumed = isTerminal(model.status);
			if (!enter(model, "running")) return;
			if (resumed) model.runCount++;
			model.startedAt = now;
			model.lateEnd = false;
			model.outcome = model.result = model.error = model.completedAt = undefined;
		},
		(real) => void real.record.markRunning(now),
	),
);

const end = fc
	.record({ status: statuses, reason: reasons, result: text, error: text, now: time })
	.map(({ status, reason, result, error, now }) =>
		command(
			`markEnded(${status}, ${reason}, ${result}, ${error}, ${now})`,
			(model) => {
				if (model.status === "stopped" && model.lateEnd) {
					model.lateEnd = false;
					model.result ??= result;
					model.error ??= error;
					return;
				}
				const ran = model.status === "running";
				if (!enter(model, status)) return;
				model.lateEnd = ran && status === "stopped";
				Object.assign(model, { outcome: { status, reason }, result, error, completedAt: now });
			},
			(real) => void real.record.markEnded({ outcome: { status, reason }, result, error }, now),
		),
	);

const count = fc.constantFrom(
	command(
		"addToolUse",
		(model) => void model.toolUses++,
		(real) => real.record.addToolUse(),
	),
	command(
		"addTurn",
		(model) => void model.turnCount++,
		(real) => real.record.addTurn(),
	),
	command(
		"addCompaction",
		(model) => void model.compactionCount++,
		(real) => real.record.addCompaction(),
	),
);

const use = fc.record({ tokens: fc.nat(1e6), cost: fc.nat(100) }).map(({ tokens, cost }) =>
	command(
		`addUsage(${tokens}, ${cost})`,
		(model) => {
			model.tokens += tokens;
			model.cost += cost;
		},
		(real) => real.record.addUsage({ output: tokens, cost: { total: cost } }),
	),
);

const file = text.map((name) =>
	command(
		`setSessionFile(${name})`,
		(model) => {
			model.sessionFile = name;
		},
		(real) => real.record.setSessionFile(name),
	),
);

/** A restart of the process: nobody is left who could bring the end of a stopped run. */
const restore = fc.constant(
	command(
		"restore",
		(model) => {
			model.lateEnd = false;
		},
		(real) => {
			const snapshot = JSON.parse(JSON.stringify(real.record.toSnapshot()));
			real.record = new AgentRecord(snapshot, { onRefused: () => real.refused++ });
		},
	),
);

function expectSame(model: Model, real: Real): void {
	const { record } = real;
	const { tokens, cost, lateEnd, refused, ...members } = model;
	for (const [key, value] of Object.entries(members)) {
		expect(record[key as keyof AgentRecord], key).toEqual(value);
	}
	expect(record.lifetimeUsage).toEqual({
		input: 0,
		output: tokens,
		cacheRead: 0,
		cacheWrite: 0,
		cost,
	});
	expect(real.refused).toBe(refused);
	expect(record.isTerminal).toBe(record.status !== "queued" && record.status !== "running");
	// Whoever sees a terminal record can say how it ended, and whoever sees another one cannot.
	if (record.status === "running") expect(record.outcome).toBeUndefined();
	if (record.isTerminal) expect(record.outcome?.status).toBe(record.status);
}

test("a record is what its transitions make it, whatever is tried in whatever order", () => {
	fc.assert(
		fc.property(
			fc.commands([queue, run, end, count, use, file, restore], { maxCommands: 60 }),
			(commands) => {
				fc.modelRun(() => {
					const real: Real = {
						record: new AgentRecord(
							{ id: "a1", type: "Explore", description: "Find the bug" },
							{ onRefused: () => real.refused++ },
						),
						refused: 0,
					};
					const model: Model = {
						status: "queued",
						lateEnd: false,
						outcome: undefined,
						result: undefined,
						error: undefined,
						startedAt: undefined,
						completedAt: undefined,
						runCount: 1,
						toolUses: 0,
						turnCount: 0,
						compactionCount: 0,
						tokens: 0,
						cost: 0,
						sessionFile: undefined,
						refused: 0,
					};
					return { model, real };
				}, commands);
			},
		),
		{ numRuns: 500 },
	);
});
