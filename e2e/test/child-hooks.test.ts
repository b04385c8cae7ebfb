import { mkdtemp, readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { delegate, onBothHosts, readLog, script } from "./child-host.js";

onBothHosts("hooks in children", (world, name) => {
	test("an extension sees in a child what it sees in a top-level session, in the same order", async () => {
		const probe = await readFile(join(import.meta.dirname, "fixtures", "probe.ts"), "utf8");
		const probes = await mkdtemp(join(tmpdir(), "pi-subagents-probes-"));
		const options = { others: { "probe.ts": probe }, env: { PROBE_DIR: probes } };
		const host = await world.print({ ...options, projectFiles: { "a.txt": "text" } });
		const steps = [
			{ tools: [{ name: "read", args: { path: "a.txt" } }], text: "look" },
			{ text: "done" },
		];
		await host.run(`top ${script(...steps)}`);
		const [top = []] = await sessionsOf(probes);
		expect(top.length).toBeGreaterThan(20);

		await host.run(
			`main ${script({ tools: [delegate(`child ${script(...steps)}`)] }, { text: "end" })}`,
		);
		const readers = (await sessionsOf(probes)).filter((lines) =>
			lines.some((line) => line.startsWith("tool_call read ")),
		);
		// The first run and the child of the second one read a file; the second main session did not.
		expect(readers).toHaveLength(2);
		for (const isOfRequest of [true, false]) {
			// Requests and events are two lines of hooks, and 0.73.1 orders only each of them.
			const line = (lines: readonly string[]): readonly string[] =>
				lines.filter(
					(each) => /^(context|before_provider|after_provider)/.test(each) === isOfRequest,
				);
			expect(readers.map(line)).toEqual([line(top), line(top)]);
		}
		if (name === "current") expect(readers).toEqual([top, top]);
	});
});

/** The hooks of every session. */
async function sessionsOf(folder: string): Promise<ReadonlyArray<readonly string[]>> {
	const names = (await readdir(folder)).filter((file) => file.startsWith("hooks-"));
	const logs = await Promise.all(names.map((file) => readLog(folder, file)));
	return logs.map((lines) =>
		lines.map(
			({ hook, detail, cwd }) => `${hook}${detail === undefined ? "" : ` ${detail}`} ${cwd}`,
		),
	);
}
