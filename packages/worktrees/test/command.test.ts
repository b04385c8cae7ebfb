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
			"Nothing was changed; `pi-subagents-worktrees merge general-purpose-a1 --yes --directory HOME/worktrees` does it.",
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
		errors: [
			"Nothing was merged into HOME/project, because of conflicts in own.txt.",
			"`pi-subagents-worktrees merge general-purpose-crashed --conflicts --yes --directory HOME/worktrees` brings the work in all the same, as uncommitted changes with conflict markers.",
		],
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
		[["list", "--conflicts"], "`--conflicts` is for `merge`."],
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
		errors: [
			"There is no worktree nobody; `pi-subagents-worktrees list --directory HOME/worktrees` shows them.",
		],
	});
	await rm(repository.path, { recursive: true });
	expect((await run("list")).code).toBe(1);
});

test("every message about a merge that cannot be names the command that goes on", async () => {
	const { repository, run } = await setUp();
	await runAgents(repository);
	const place = "--directory HOME/worktrees";
	const unsaved = await run("merge", "crashed");
	expect([unsaved.code, unsaved.errors]).toEqual([
		1,
		[
			"1 file of general-purpose-crashed is not committed yet; save the worktree first.",
			`\`pi-subagents-worktrees save general-purpose-crashed ${place}\` saves it.`,
		],
	]);
	expect((await run("save", "crashed")).code).toBe(0);
	expect((await run("list")).out[1]).toBe(
		"saved    general-purpose-crashed: 1 commit, on pi-subagents/general-purpose-crashed",
	);

	await repository.write({ "own.txt": "mine\n" });
	const inTheWay = await run("merge", "a1", "--yes");
	expect(inTheWay.errors[1]).toBe(
		`\`pi-subagents-worktrees merge general-purpose-a1 --changes ${place}\` says what it would do as uncommitted changes.`,
	);
	const conflict = await run("merge", "a1", "--changes", "--yes");
	expect(conflict.errors[1]).toMatch(
		/^`pi-subagents-worktrees merge general-purpose-a1 --changes --conflicts --yes /,
	);
	const marked = await run("merge", "a1", "--changes", "--conflicts", "--yes");
	expect([marked.code, marked.out.join("\n")]).toEqual([
		0,
		expect.stringContaining("These have conflict markers: own.txt."),
	]);
	expect(await repository.sh("grep -c '<<<<<<<' own.txt")).toBe("1");
});

test("work without a record here is shown, stays, and git's own commands are named", async () => {
	const { repository, run } = await setUp();
	await runAgents(repository);
	expect((await run("clean", "--yes")).code).toBe(0);
	await rm(repository.worktrees, { recursive: true });
	const { out } = await run("list");
	expect(out.slice(0, 2)).toEqual([
		"unknown  pi-subagents/general-purpose-a1: nothing is recorded of it here",
		"unknown  pi-subagents/general-purpose-crashed: nothing is recorded of it here",
	]);
	expect((await run("clean", "--yes")).out[0]).toBe(
		"unknown  pi-subagents/general-purpose-a1: nothing is recorded of it here; it stays.",
	);
	const diff = await run("diff", "pi-subagents/general-purpose-a1");
	expect([diff.code, diff.errors[0]]).toEqual([1, expect.stringContaining("say which")]);
	const [, log = "", merge = "", remove = ""] =
		/`(.+?)`.*`(.+?)`.*`(.+?)`/.exec(out[2] ?? "") ?? [];
	const real = (text: string): string => text.replaceAll("HOME", repository.home);
	expect(await repository.sh(real(log))).toContain("+own");
	await repository.sh(real(merge));
	expect(await repository.sh("cat own.txt")).toBe("own");
	await repository.sh(real(remove));
	expect((await run("list")).out[0]).toContain("general-purpose-crashed");
});

test("a branch that was removed and brought back is shown", async () => {
	const { repository, run } = await setUp();
	await runAgents(repository);
	const tip = await repository.sh("git rev-parse pi-subagents/general-purpose-a1");
	const { out } = await run("clean", "a1", "--discard", "--yes");
	const [, back = ""] = /`(.+)`/.exec(out[0] ?? "") ?? [];
	await repository.sh(back.replaceAll("HOME", repository.home).replace(/ID$/, tip));
	expect((await run("list")).out).toContain(
		"unknown  pi-subagents/general-purpose-a1: nothing is recorded of it here",
	);
});

test("work that was merged and thrown away again is not listed as merged, and stays", async () => {
	const { repository, run } = await setUp();
	await runAgents(repository);
	expect((await run("merge", "a1", "--changes", "--yes")).code).toBe(0);
	expect((await run("list")).out[0]).toContain("1 commit, merged, on");
	await repository.sh("rm own.txt");
	expect((await run("list")).out[0]).toContain("1 commit, on");
	expect((await run("clean")).out[0]).toBe(
		"general-purpose-a1: its work on pi-subagents/general-purpose-a1 is not merged; it stays.",
	);
});
