import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addUsage, emptyUsage, type HostUsage, totalTokens, type Usage } from "../src/index.js";

function sum(...usages: readonly (HostUsage | null | undefined)[]): Usage {
	const target = emptyUsage();
	for (const usage of usages) addUsage(target, usage);
	return target;
}

describe("adding usage", () => {
	test("takes the usage of a host's assistant message, with the total of its cost", () => {
		const usage = {
			input: 60,
			output: 10,
			cacheRead: 40,
			cacheWrite: 5,
			totalTokens: 115,
			cost: { input: 0.5, output: 0.25, cacheRead: 0.125, cacheWrite: 0, total: 0.875 },
		};
		expect(sum(usage, usage)).toEqual({
			input: 120,
			output: 20,
			cacheRead: 80,
			cacheWrite: 10,
			cost: 1.75,
		});
	});

	test("takes another usage, whose cost is a number", () => {
		const usage: Usage = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, cost: 0.5 };
		expect(sum(usage)).toEqual(usage);
	});

	test.each([
		undefined,
		null,
		{},
		{ cost: {} },
		{ input: Number.NaN, cost: Number.POSITIVE_INFINITY },
	])("takes %j as nothing", (usage) => {
		expect(sum(usage)).toEqual(emptyUsage());
	});

	test("takes what is no usage at all as nothing, as the hosts' types promise too much", () => {
		const target = emptyUsage();
		for (const wrong of fc.sample(fc.anything(), 200)) {
			// @ts-expect-error it may be anything
			addUsage(target, wrong);
		}
		expect(Object.values(target).every(Number.isFinite)).toBe(true);
	});

	test("is the same in any order and grouping", () => {
		const usage = fc.record(
			{
				input: fc.nat(1e6),
				output: fc.nat(1e6),
				cacheRead: fc.nat(1e6),
				cacheWrite: fc.nat(1e6),
				// Whole numbers add up exactly.
				cost: fc.oneof(fc.nat(1e6), fc.record({ total: fc.nat(1e6) })),
			},
			{ requiredKeys: [] },
		);
		fc.assert(
			fc.property(fc.array(usage), fc.array(usage), (first, second) => {
				const together = sum(...first, ...second);
				expect(sum(...second, ...first)).toEqual(together);
				expect(sum(sum(...first), sum(...second))).toEqual(together);
			}),
		);
	});
});

test("the total leaves out cache reads, which count the cached prefix once per turn", () => {
	expect(totalTokens({ input: 1, output: 20, cacheRead: 5000, cacheWrite: 300, cost: 9 })).toBe(
		321,
	);
});

test("every empty usage is its own", () => {
	expect(emptyUsage()).not.toBe(emptyUsage());
});
