import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { delegate, onBothHosts, requestsOf, script, toolResults } from "./child-host.js";

/** 350 KB of code that the host has to compile, with a tool. */
const BIG = [
	`export default function (pi) { pi.registerTool({ name: "big", label: "big", description: "big",
		parameters: { type: "object", properties: {} },
		execute: async () => ({ content: [{ type: "text", text: String(f0(1)) }], details: {} }) }); }`,
	...Array.from(
		{ length: 3600 },
		(_, index) =>
			`function f${index}(value) { const add = ${index}; return value + add + "${"x".repeat(30)}"; }`,
	),
].join("\n");

onBothHosts("the memory of children", (world, name) => {
	// 0.73.1 evaluates an extension anew for every session and never lets go of it.
	test.runIf(name === "current")(
		"a hundred children that load an extension of 350 KB leave less than 5 MB behind",
		async () => {
			expect(BIG.length).toBeGreaterThan(350_000);
			const measure = await readFile(join(import.meta.dirname, "fixtures", "measure.ts"), "utf8");
			const host = await world.rpc({ others: { "big.ts": BIG, "measure.ts": measure } });
			const some = (count: number) => Array.from({ length: count }, () => delegate("SMALL"));
			const heap = { tools: [{ name: "heap" }] };
			await host.prompt(
				`h ${script({ tools: some(10) }, heap, { tools: some(100) }, heap, { text: "end" })}`,
			);
			expect(requestsOf(world.server, "SMALL")[0]?.tools).toContain("big");
			const numbers = toolResults(requestsOf(world.server, "h ").at(-1)).filter((text) =>
				/^\d+$/.test(text),
			);
			const [before = 0, after = 0] = numbers.map(Number);
			expect(before).toBeGreaterThan(1_000_000);
			expect((after - before) / 1_000_000).toBeLessThan(5);
			await host.dispose();
		},
	);
});
