import { AgentRecord } from "@pi-subagents/core";
import { expect, test } from "vitest";
import { ancestorsOf, depthOf, descendantsOf } from "../src/agent-tree.js";
import { treeLimit } from "../src/tree-limit.js";

function agents(...pairs: ReadonlyArray<readonly [id: string, parentId?: string]>) {
	const records = pairs.map(
		([id, parentId]) =>
			new AgentRecord({ id, type: "t", description: "d", ...(parentId && { parentId }) }),
	);
	return {
		listAgents: () => records,
		getRecord: (id: string) => records.find((record) => record.id === id),
		ids: (found: readonly AgentRecord[]) => found.map(({ id }) => id),
		of(id: string): AgentRecord {
			const record = records.find((each) => each.id === id);
			if (record === undefined) throw new Error(`no ${id}`);
			return record;
		},
	};
}

test("ancestors are listed from the nearest to the top, descendants in the order of their making", () => {
	const tree = agents(["a"], ["b", "a"], ["x"], ["c", "b"], ["d", "a"]);
	expect(tree.ids(ancestorsOf(tree, tree.of("c")))).toEqual(["b", "a"]);
	expect(tree.ids(descendantsOf(tree, tree.of("a")))).toEqual(["b", "c", "d"]);
	expect(depthOf(tree, tree.of("c"))).toBe(3);
	expect(depthOf(tree, tree.of("x"))).toBe(1);
});

test("a parent that is unknown ends the line, and a circle of parents ends, too", () => {
	const tree = agents(["a", "gone"], ["b", "c"], ["c", "b"]);
	expect(tree.ids(ancestorsOf(tree, tree.of("a")))).toEqual([]);
	expect(tree.ids(ancestorsOf(tree, tree.of("b")))).toEqual(["c"]);
});

test("the main session has no limit, an agent those of depth and of its tree (RECUR-01)", () => {
	const tree = agents(["a"], ["b", "a"], ["c", "b"]);
	const limits = { maxDepth: 2, maxNested: 2, maxSessionTokens: 0, maxSessionCost: 0 };
	expect(treeLimit(tree, { depth: 0, types: ["*"] }, limits)).toBeUndefined();
	expect(treeLimit(tree, { parentId: "b", depth: 2, types: ["*"] }, limits)).toMatch(
		/nested only 2 deep\. Do not try again/,
	);
	expect(treeLimit(tree, { parentId: "a", depth: 1, types: ["*"] }, limits)).toMatch(
		/limit of 2 below a is reached/,
	);
	expect(
		treeLimit(tree, { parentId: "a", depth: 1, types: ["*"] }, { ...limits, maxNested: 0 }),
	).toBeUndefined();
});
