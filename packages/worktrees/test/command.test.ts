import { rm } from "node:fs/promises";
import { expect, test } from "vitest";
import { runCommand, worktreeProvider } from "../src/index.js";
import {
	DONE,
	request,
	type TestRepository,
	testRepository,
	withoutIds,
} from "./support/repository.js";

/** A repository, and the command in it. */
async function setUp() {
	const repository = await testRepository();
	const { git, path, worktrees } = repository;
	return {
		repository,
		run: async (...args: readonly string[]) => {
			const out: string[] = [];
			const errors: string[] = [];
			const code = await runCommand([...args, "--directory", worktrees], {
				cwd: path,
				git,
				print: (text) => out.push(withoutIds(text, repository)),
				printError: (text) => errors.push(withoutIds(text, repository)),
			});
			return { code, out, errors };
		},
	};
}

/** Agents with different ends. */
async function runAgents(repository: TestRepository): Promise<void> {
	const { git, path, worktrees } = repository;
	const dead = { git, directory: worktrees, readProcess: async () => "an earlier boot" };
	const saved = await worktreeProvider({ ...dead, now: () => 1 }).prepare(request(path));
	await repository.write({ "own.txt": "own\n" }, saved.root);
	await saved.finish(DONE);
	for (const agentId of ["crashed", "empty"]) {
		const provider = worktreeProvider({ ...dead, now: () => (agentId === "empty" ? 3 : 2) });
		const { root } = await provider.prepare(request(path, { agentId, description: "" }));
		if (agentId === "crashed") await repository.write({ "own.txt": "crashed\n" }, root);
	}
}

test("after a crash the command lists, shows, merges and cleans", async () => {
	const { repository, run } = await setUp();
	await runAgents(repository);
	expect(await run("list")).toEqual({
		code: 0,
		errors: [],
		out: [
			"saved    general-purpose-a1 (Change some files): 1 commit, on pi-subagents/general-purpose-a1",
			"leftover general-purpose-crashed: 0 commits, 1 uncommitted file, on pi-subagents/general-purpose-crashed, HOME/worktrees/project-ID/general-purpose-crashed",
			"leftover general-purpose-empty: 0 commits, on pi-subagents/general-purpose-empty, HOME/worktrees/project-ID/general-purpose-empty",
		],
	});
	expect((await run("diff", "crashed")).out.join("\n")).toContain("+crashed");
	expect((await run("open", "crashed")).out).toEqual([
		"cd HOME/worktrees/project-ID/general-purpose-crashed",
	]);
	const { out } = await run("open", "a1");
	const [opened = ""] = out.map((line) => line.replaceAll("HOME", repository.home));
	expect(opened).toMatch(/^git -C \S+ worktree add \S+ pi-subagents\/general-purpose-a1 && cd /);

	expect(await run("merge", "a1")).toEqual({
		code: 0,
		errors: [],
		out: [
			"A merge into HOME/project has no conflicts: 1 file changed, 1 insertion, 0 deletions, as a commit.",
			"Nothing was changed; --yes does it.",
		],
	});
	expect((await run("merge", "a1", "--yes")).code).toBe(0);
	expect(await repository.sh("cat own.txt")).toBe("own");

	expect((await run("clean")).out).toEqual([
		"general-purpose-a1: would be removed.",
		"general-purpose-crashed: its work would be put on pi-subagents/general-purpose-crashed, and its directory removed.",
		"general-purpose-empty: its work would be put on pi-subagents/general-purpose-empty, and its directory removed.",
		"Nothing was changed; --yes does it.",
	]);
	expect(await repository.sh("git worktree list | wc -l")).toBe("3");
	const cleaned = await run("clean", "--yes");
	expect([cleaned.code, cleaned.errors, cleaned.out[2]]).toEqual([
		0,
		[],
		"The agent changed no files; its worktree was removed.",
	]);
	expect((await run("list")).out).toEqual([
		"saved    general-purpose-crashed: 1 commit, on pi-subagents/general-purpose-crashed",
	]);
	expect(await run("merge", "crashed", "--yes")).toEqual({
		code: 1,
		out: [],
		errors: ["Nothing was merged into HOME/project, because of conflicts in own.txt."],
	});
	expect((await run("clean", "--yes")).out).toEqual([
		"general-purpose-crashed: its work on pi-subagents/general-purpose-crashed is not merged; it stays.",
	]);
	expect((await run("clean", "crashed", "--discard")).out).toEqual([
		"general-purpose-crashed: would be removed with its work.",
		"Nothing was changed; --yes does it.",
	]);
	expect((await run("clean", "crashed", "--discard", "--yes")).code).toBe(0);
	expect(await repository.sh("git branch; git worktree list | wc -l")).toBe("* main\n1");
	expect((await run("list")).out).toEqual(["There are no worktrees of agents."]);
	expect((await run("clean")).out).toEqual(["There is nothing to clean."]);
});

test("a wrong call says what is wrong and how it is called", async () => {
	const { repository, run } = await setUp();
	for (const [args, message] of [
		[[], "Which command?"],
		[["prune"], "Unknown command prune."],
		[["list", "x"], "`list` takes no name."],
		[["diff"], "`diff` takes one name."],
		[["clean", "--discard"], "`--discard` is for `clean` with names."],
		[["list", "--force"], "Unknown option '--force'"],
	] as const) {
		const { code, errors } = await run(...args);
		expect([code, errors[0]?.startsWith(message)]).toEqual([2, true]);
	}
	expect((await run("--help")).out[0]).toMatch(/^Usage: pi-subagents-worktrees COMMAND/);
	expect(await run("diff", "nobody")).toEqual({
		code: 1,
		out: [],
		errors: ["There is no worktree nobody; `list` shows them."],
	});
	await rm(repository.path, { recursive: true });
	expect((await run("list")).code).toBe(1);
});
