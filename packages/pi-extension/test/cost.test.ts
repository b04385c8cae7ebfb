import { AgentRecord, totalTokens } from "@pi-subagents/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { costReport, createLedger, subtreeUsage, sumOf } from "../src/cost.js";

interface Line {
	readonly id: string;
	readonly parentId?: string;
	readonly type?: string;
	readonly tokens?: number;
	readonly running?: boolean;
}

function agents(...lines: readonly Line[]) {
	const records = lines.map(
		({ id, parentId, type = "t", tokens = 0, running = false }) =>
			new AgentRecord({
				id,
				type,
				description: "d",
				status: running ? "running" : "completed",
				lifetimeUsage: {
					input: tokens,
					output: 0,
					cacheRead: 50,
					cacheWrite: 0,
					cost: tokens / 100,
				},
				...(parentId !== undefined && { parentId }),
			}),
	);
	return {
		listAgents: () => records,
		getRecord: (id: string) => records.find((record) => record.id === id),
		of(id: string): AgentRecord {
			const record = records.find((each) => each.id === id);
			if (record === undefined) throw new Error(`no ${id}`);
			return record;
		},
	};
}

const TREE: readonly Line[] = [
	{ id: "a", tokens: 1, type: "lead" },
	{ id: "b", tokens: 10, parentId: "a", type: "worker" },
	{ id: "c", tokens: 100, parentId: "b", type: "worker" },
	{ id: "d", tokens: 1000, type: "worker" },
];

describe("the costs of agents (ACCOUNT-03)", () => {
	test("an agent has its own and that of all below it", () => {
		const tree = agents(...TREE);
		expect(subtreeUsage(tree, tree.of("a")).input).toBe(111);
		expect(subtreeUsage(tree, tree.of("b")).input).toBe(110);
		expect(subtreeUsage(tree, tree.of("d")).input).toBe(1000);
	});

	test("a report gives them per agent, per type and per model, each token once", () => {
		const tree = agents(...TREE);
		const report = costReport(tree, ({ id }) => (id === "a" ? "p/big" : undefined));
		expect(report.total.input).toBe(1111);
		expect(report.total.cost).toBeCloseTo(11.11);
		expect([...report.byType].map(([type, usage]) => [type, usage.input])).toEqual([
			["lead", 1],
			["worker", 1110],
		]);
		expect([...report.byModel].map(([model, usage]) => [model, usage.input])).toEqual([
			["p/big", 1],
			["unknown", 1110],
		]);
		expect(report.agents.map(({ own, subtree }) => [own.input, subtree.input])).toEqual([
			[1, 111],
			[10, 110],
			[100, 100],
			[1000, 1000],
		]);
	});
});

describe("what a session is charged with (ACCOUNT-01)", () => {
	test("agents that have ended, with all below them, once", () => {
		const tree = agents(
			{ id: "a", tokens: 1, running: true },
			{ id: "b", tokens: 10, parentId: "a" },
			{ id: "c", tokens: 100 },
		);
		const ledger = createLedger(tree);
		expect(ledger.take().map(({ record, usage }) => [record.id, usage.input])).toEqual([
			["c", 100],
		]);
		expect(ledger.take()).toEqual([]);
		tree.of("a").markEnded({ outcome: { status: "completed", reason: "finished" } }, 1);
		expect(sumOf(ledger.take()).input).toBe(11);
	});

	test("a resumed agent is charged with what is new", () => {
		const tree = agents({ id: "a", tokens: 5 });
		const ledger = createLedger(tree);
		ledger.take();
		tree.of("a").addUsage({ input: 2, cost: { total: 1 } });
		expect(sumOf(ledger.take())).toMatchObject({ input: 2, cost: 1, cacheRead: 0 });
	});

	test("what an agent used in an earlier process is not charged again", () => {
		const tree = agents({ id: "a", tokens: 5 });
		const ledger = createLedger(tree);
		ledger.settle(tree.of("a"));
		expect(ledger.take()).toEqual([]);
	});

	test("an agent's own ledger knows only what it started", () => {
		const tree = agents(...TREE);
		const ledger = createLedger(tree, "a");
		expect(ledger.take().map(({ record }) => record.id)).toEqual(["b", "c"]);
	});

	test("all charges together are all that was used, whatever the order of things", () => {
		fc.assert(
			fc.property(
				fc.array(fc.tuple(fc.nat(3), fc.nat(1000)), { maxLength: 30 }),
				fc.array(fc.boolean(), { minLength: 30, maxLength: 30 }),
				(uses, looks) => {
					const tree = agents(...TREE.map((line) => ({ ...line, tokens: 0 })));
					const ledger = createLedger(tree);
					let charged = 0;
					uses.forEach(([index, input], step) => {
						tree.listAgents()[index]?.addUsage({ input });
						if (looks[step]) charged += totalTokens(sumOf(ledger.take()));
					});
					charged += totalTokens(sumOf(ledger.take()));
					expect(charged).toBe(uses.reduce((sum, [, input]) => sum + input, 0));
				},
			),
		);
	});
});
