import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { projectFolder } from "../src/paths.js";

// The commands of the packages as a terminal starts them.
const LINT = join(projectFolder, "packages/definitions/dist/pi-subagents-lint.js");
const WORKTREES = join(projectFolder, "packages/worktrees/dist/cli.js");
const FIXTURES = join(projectFolder, "packages/definitions/test/fixtures");

let folder = "";
beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "pi-subagents-commands-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Ended {
	readonly code: unknown;
	readonly stdout: string;
	readonly stderr: string;
}

function run(program: string, ...args: readonly string[]): Promise<Ended> {
	return new Promise((resolve) => {
		execFile(process.execPath, [program, ...args], { cwd: folder }, (error, stdout, stderr) =>
			resolve({ code: error?.code ?? 0, stdout, stderr }),
		);
	});
}

test("pi-subagents-lint prints a report, and exits with 1 for a rejected file and 0 for a good one", async () => {
	await writeFile(join(folder, "good.md"), "---\nname: good\ndescription: d\n---\nWork.\n");
	expect(await run(LINT, folder)).toEqual({
		code: 0,
		stderr: "",
		stdout: "1 file: 1 good, 0 with warnings, 0 rejected, 0 no agents.\n",
	});
	await writeFile(join(folder, "bad.md"), "---\nname: bad\ndescription: d\ntools: {a: 1}\n---\n");
	const { code, stdout } = await run(LINT, folder);
	expect([code, stdout.split("\n")[0]]).toEqual([1, expect.stringContaining("bad.md:4: error:")]);
	const missing = await run(LINT, join(folder, "nowhere"));
	expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining("nowhere")]);
});

test("pi-subagents-lint --json prints an entry with an outcome and messages for every agent file", async () => {
	const names = (await readdir(FIXTURES)).filter((name) => name.endsWith(".md"));
	const { stdout, stderr } = await run(LINT, "--json", FIXTURES);
	expect(stderr).toBe("");
	const files: Record<string, { outcome: string; messages: string[] }> = JSON.parse(stdout);
	expect(Object.keys(files).sort()).toEqual(names.sort());
	for (const { outcome, messages } of Object.values(files)) {
		expect(outcome).toMatch(/^(load|load_with_warning|reject|not_an_agent)$/);
		expect(messages.length > 0).toBe(outcome !== "load");
	}
});

test("pi-subagents-worktrees says why there is nothing to list, and how it is called", async () => {
	const list = await run(WORKTREES, "list");
	expect([list.code, list.stderr]).toEqual([
		1,
		expect.stringContaining("is not in a git repository"),
	]);
	const wrong = await run(WORKTREES, "prune");
	expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("Usage:")]);
});
