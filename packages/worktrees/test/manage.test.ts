import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
	conflictingEdits,
	diffWorktree,
	findLeftovers,
	listWorktrees,
	mergeWorktree,
	previewMerge,
	readProcess,
	removeWorktree,
	saveWorktree,
	type WorktreeProviderOptions,
	type WorktreeRecord,
	type WorktreeWorkspace,
	worktreeProvider,
} from "../src/index.js";
import { DONE, fingerprint, request, testRepository, withoutIds } from "./support/repository.js";

/** A repository and agents in it. */
async function setUp(options: WorktreeProviderOptions = {}) {
	const repository = await testRepository();
	const { git, path, worktrees } = repository;
	const provider = worktreeProvider({ git, directory: worktrees, ...options });
	return {
		repository,
		git,
		query: { repo: path, directory: worktrees, git },
		/** Starts an agent that writes files. */
		start: async (agentId: string, files: Readonly<Record<string, string>> = {}) => {
			const workspace = await provider.prepare(request(path, { agentId }));
			await repository.write(files, workspace.root);
			return workspace;
		},
	};
}

/** As if a process had made the worktree. */
async function giveTo(
	{ root, worktree }: WorktreeWorkspace,
	pid: number,
	started: string,
): Promise<WorktreeRecord> {
	const record = { ...worktree, owner: { pid, started } };
	await writeFile(`${root}.json`, JSON.stringify(record));
	return record;
}

describe("the list", () => {
	test("says what became of each agent's worktree, and leaves out the user's own", async () => {
		const { repository, query, start } = await setUp();
		await repository.sh("git worktree add -q ../mine -b mine");
		expect(await listWorktrees(query)).toEqual({ worktrees: [], unrecorded: [], problems: [] });

		await start("running", { "1.txt": "1\n", "2.txt": "2\n" });
		await (await start("saved", { "1.txt": "1\n" })).finish(DONE);
		const kept = await start("kept", { "inside/x": "x\n" });
		await repository.sh("git init -q inside", kept.root);
		await kept.finish(DONE);
		const crashed = await start("crashed", { "1.txt": "1\n" });
		// The same process id, but another process.
		await giveTo(crashed, process.pid, "another start");
		await (await start("unchanged")).finish(DONE);
		const merged = await start("merged", { "m.txt": "m\n" });
		const report = await merged.finish(DONE);
		await repository.sh(`git merge -q ${report.branch} && git branch -q -d ${report.branch}`);

		const { worktrees, problems } = await listWorktrees(query);
		expect(problems).toEqual([]);
		const rows = worktrees.map(({ worktree, ...listed }) => [worktree.agentId, listed]);
		expect(Object.fromEntries(rows)).toEqual({
			running: { state: "running", hasDirectory: true, commits: 0, uncommitted: 2, merged: false },
			saved: { state: "saved", hasDirectory: false, commits: 1, merged: false },
			kept: { state: "kept", hasDirectory: true, commits: 0, uncommitted: 0, merged: false },
			crashed: { state: "leftover", hasDirectory: true, commits: 0, uncommitted: 1, merged: false },
		});
		const leftovers = await findLeftovers(query);
		expect(leftovers.worktrees.map(({ worktree }) => worktree.agentId)).toEqual(["crashed"]);
		// Worktrees elsewhere are found through git.
		const elsewhere = await findLeftovers({ ...query, directory: join(repository.home, "other") });
		expect(elsewhere.worktrees.map(({ worktree }) => worktree.agentId)).toEqual(["crashed"]);
	});

	test("follows a process that is killed", async () => {
		const { query, start } = await setUp();
		const workspace = await start("a1", { "own.txt": "own\n" });
		const process = spawn("sleep", ["600"]);
		await once(process, "spawn");
		const pid = process.pid ?? 0;
		await giveTo(workspace, pid, (await readProcess(pid)) ?? "");
		expect((await listWorktrees(query)).worktrees[0]?.state).toBe("running");
		expect(
			await saveWorktree(
				(await listWorktrees(query)).worktrees[0]?.worktree ?? workspace.worktree,
				query,
			),
		).toMatchObject({
			changed: true,
			text: `The agent of general-purpose-a1 is still running in the process ${pid}; stop it first.`,
		});
		process.kill("SIGKILL");
		await once(process, "exit");
		const [leftover] = (await findLeftovers(query)).worktrees;
		expect(leftover?.uncommitted).toBe(1);
		const report = await saveWorktree(leftover?.worktree ?? workspace.worktree, query);
		expect(report).toMatchObject({ branch: "pi-subagents/general-purpose-a1", problems: [] });
		expect(await findLeftovers(query)).toEqual({ worktrees: [], unrecorded: [], problems: [] });
	});

	test("says what is wrong instead of failing", async () => {
		const { repository, query } = await setUp();
		expect(await listWorktrees({ ...query, repo: repository.home })).toEqual({
			worktrees: [],
			unrecorded: [],
			problems: [
				`${repository.home} is not in a git repository; \`git init\` and a first commit make it one.`,
			],
		});
	});
});

describe("the difference", () => {
	test("has all changes of a running agent and touches nothing in its worktree", async () => {
		const { repository, git, start } = await setUp();
		const workspace = await start("a1", { "own.txt": "own\n" });
		await repository.sh(
			"git add -A && git commit -q -m Own && echo more >> a.txt && echo n > new.txt",
			workspace.root,
		);
		const state = "git status --porcelain; sha1sum < $(git rev-parse --git-path index)";
		const before = await repository.sh(state, workspace.root);
		const diff = await diffWorktree(workspace.worktree, { git });
		expect(diff).toMatchObject({
			ok: true,
			uncommitted: 2,
			changes: { commits: 2, files: ["a.txt", "new.txt", "own.txt"], insertions: 3, deletions: 0 },
		});
		expect(diff.ok && diff.patch).toContain("+more");
		expect(await repository.sh(state, workspace.root)).toBe(before);
		expect(await repository.sh("ls -A", join(workspace.root, ".."))).toBe(
			"general-purpose-a1\ngeneral-purpose-a1.json",
		);
		await workspace.finish(DONE);
		expect(await diffWorktree(workspace.worktree, { git })).toMatchObject({
			ok: true,
			uncommitted: 0,
		});
		await repository.sh(`git branch -q -D ${workspace.worktree.branch}`);
		expect(await diffWorktree(workspace.worktree, { git })).toEqual({
			ok: false,
			problem:
				"The work of general-purpose-a1 cannot be read: the branch pi-subagents/general-purpose-a1 does not exist any more.",
		});
	});
});

describe("a merge", () => {
	test("is a commit if the agent began at one; the preview touches nothing", async () => {
		const { repository, git, start } = await setUp();
		const workspace = await start("a1", { "own.txt": "own\n" });
		await workspace.finish(DONE);
		await repository.sh("echo users > users.txt && git add -A && git commit -q -m Users");
		await repository.write({ "a.txt": "dirty\n" });
		const before = await fingerprint(repository);
		const preview = await previewMerge(workspace.worktree, { git });
		expect(preview).toMatchObject({
			ok: true,
			clean: true,
			mode: "commit",
			conflicts: [],
			inTheWay: [],
		});
		expect(await fingerprint(repository)).toBe(before);
		expect(await mergeWorktree(workspace.worktree, { git })).toEqual({
			merged: true,
			conflicts: [],
			text: `Merged the work of general-purpose-a1 into ${repository.path}: 1 file changed, 1 insertion, 0 deletions.`,
		});
		expect(
			await repository.sh(
				"git log -3 --format=%s; cat own.txt users.txt a.txt; git diff --name-only",
			),
		).toBe(
			"Merge branch 'pi-subagents/general-purpose-a1'\nUsers\nChange some files\nown\nusers\ndirty\na.txt",
		);
		expect((await mergeWorktree(workspace.worktree, { git })).text).toBe(
			`${repository.path} has this work already.`,
		);
	});

	test("is a fast-forward if nothing else happened", async () => {
		const { repository, git, start } = await setUp();
		const workspace = await start("a1", { "own.txt": "own\n" });
		const { branch } = await workspace.finish(DONE);
		expect((await mergeWorktree(workspace.worktree, { git })).merged).toBe(true);
		expect(await repository.sh(`git rev-parse HEAD; git status --porcelain`)).toBe(
			await repository.sh(`git rev-parse ${branch}`),
		);
	});

	test("is refused if uncommitted files are in the way or both sides changed the same lines", async () => {
		const { repository, git, start } = await setUp();
		const workspace = await start("a1", { "a.txt": "agent\n" });
		await workspace.finish(DONE);
		await repository.write({ "a.txt": "user\n" });
		const before = await fingerprint(repository);
		const inTheWay = await mergeWorktree(workspace.worktree, { git });
		expect(inTheWay.text).toBe(
			`Nothing was merged into ${repository.path}, because its uncommitted changes in a.txt would be overwritten; commit them first, or bring the work in as uncommitted changes.`,
		);
		expect(await fingerprint(repository)).toBe(before);
		await repository.sh("git commit -q -a -m User");
		expect(await previewMerge(workspace.worktree, { git })).toMatchObject({
			clean: false,
			conflicts: ["a.txt"],
			text: `Nothing was merged into ${repository.path}, because of conflicts in a.txt.`,
		});
		expect(await mergeWorktree(workspace.worktree, { git })).toMatchObject({
			merged: false,
			conflicts: ["a.txt"],
		});
		expect(await repository.sh("git status --porcelain; cat a.txt")).toBe("user");

		const marked = await mergeWorktree(workspace.worktree, { git, allowConflicts: true });
		expect(marked.text).toContain("These have conflict markers: a.txt.");
		expect(
			await repository.sh("grep -c -e '<<<<<<<' -e agent -e user a.txt; git log -1 --format=%s"),
		).toBe("3\nUser");
	});

	test("adds the agent's own changes to uncommitted work that it began with and that went on", async () => {
		const { repository, git, start } = await setUp();
		const lines = (first: string, last: string): string => `${first}\n2\n3\n4\n5\n6\n${last}\n`;
		await repository.write({ "a.txt": lines("user", "7"), "caf\u00e9.txt": "untracked\n" });
		const workspace = await start("a1", {
			"a.txt": lines("user", "agent"),
			"caf\u00e9.txt": "untracked\nagent\n",
			"own.bin": "\u0000\u0001",
		});
		await workspace.finish(DONE);
		await repository.write({ "a.txt": lines("user again", "7") });
		await repository.sh("git add a.txt");
		const staged = await repository.sh("git diff --cached");
		const preview = await previewMerge(workspace.worktree, { git });
		expect(preview).toMatchObject({
			clean: true,
			mode: "changes",
			changes: { files: ["a.txt", "caf\u00e9.txt", "own.bin"] },
		});
		expect((await mergeWorktree(workspace.worktree, { git })).merged).toBe(true);
		expect(await readFile(join(repository.path, "a.txt"), "utf8")).toBe(
			lines("user again", "agent"),
		);
		expect(await repository.sh("cat café.txt; git diff --cached; git log --oneline | wc -l")).toBe(
			`untracked\nagent\n${staged}\n1`,
		);
	});

	test("of bytes that are no text keeps them", async () => {
		const { repository, git, start } = await setUp({ base: "HEAD" });
		const workspace = await start("a1");
		await writeFile(join(workspace.root, "latin1.txt"), Buffer.from([0x66, 0xfc, 0x72, 0x0a]));
		await workspace.finish(DONE);
		await mergeWorktree(workspace.worktree, { git, mode: "changes" });
		expect([...(await readFile(join(repository.path, "latin1.txt")))]).toEqual([
			0x66, 0xfc, 0x72, 0x0a,
		]);
	});

	test("waits until the worktree is saved", async () => {
		const { git, start } = await setUp();
		const workspace = await start("a1", { "own.txt": "own\n" });
		expect((await mergeWorktree(workspace.worktree, { git })).text).toBe(
			"1 file of general-purpose-a1 is not committed yet; save the worktree first.",
		);
	});

	test("that git breaks off leaves the work on its branch", async () => {
		for (const base of ["HEAD", "working-state"]) {
			const { repository, git, start } = await setUp({ base });
			await repository.write({ "dirty.txt": "dirty\n" });
			const workspace = await start("a1", { "own.txt": "own\n" });
			const { branch } = await workspace.finish(DONE);
			if (base === "HEAD") await repository.sh("git commit -q --allow-empty -m Meanwhile");
			const breaks = base === "HEAD" ? ["commit-tree", "merge"] : ["diff-tree", "apply"];
			for (const broken of ["merge-tree", ...breaks]) {
				const { text, merged } = await mergeWorktree(workspace.worktree, {
					git: (args, call) =>
						args[0] === broken
							? Promise.resolve({
									ok: false,
									stdout: "",
									stderr: "",
									failure: "it was killed by SIGKILL",
								})
							: git(args, call),
				});
				expect([broken, merged]).toEqual([broken, false]);
				expect(text).toContain("it was killed by SIGKILL");
			}
			expect(await repository.sh("git status --porcelain")).toBe("?? dirty.txt");
			expect((await mergeWorktree(workspace.worktree, { git })).merged).toBe(true);
			const state = "cat own.txt; git status --porcelain";
			expect(await repository.sh(`git show ${branch}:own.txt; ${state}`)).toBe(
				base === "HEAD" ? "own\nown\n?? dirty.txt" : "own\nown\n?? dirty.txt\n?? own.txt",
			);
		}
	});
});

describe("removal", () => {
	test("is refused while the agent runs, and while work is nowhere else", async () => {
		const { repository, git, query, start } = await setUp();
		const workspace = await start("a1", { "own.txt": "own\n" });
		expect((await removeWorktree(workspace.worktree, { git })).text).toBe(
			`The agent of general-purpose-a1 is still running in the process ${process.pid}; stop it first.`,
		);
		const crashed = await giveTo(workspace, process.pid, "another start");
		expect(await removeWorktree(crashed, { git })).toEqual({
			removed: false,
			text: "general-purpose-a1 was not removed: it has 1 uncommitted file; save or discard them.",
		});
		const { branch } = await saveWorktree(crashed, { git });
		const saved = (await listWorktrees(query)).worktrees[0]?.worktree ?? crashed;
		expect((await removeWorktree(saved, { git })).text).toBe(
			`general-purpose-a1 was not removed: its commits on ${branch} are not merged; merge or discard them.`,
		);
		expect((await mergeWorktree(saved, { git })).merged).toBe(true);
		const merged = (await listWorktrees(query)).worktrees[0];
		expect(merged?.merged).toBe(true);
		const result = await removeWorktree(merged?.worktree ?? saved, { git });
		expect(result.removed).toBe(true);
		expect(await repository.sh("git branch --list; cat own.txt")).toBe("* main\nown");
		expect(await listWorktrees(query)).toEqual({ worktrees: [], unrecorded: [], problems: [] });
	});

	test("is refused while work that was brought into a checkout was thrown away there", async () => {
		const { repository, git, start } = await setUp();
		await repository.write({ "a.txt": "one\nmine\n" });
		const workspace = await start("a1", { "own.txt": "own\n" });
		await workspace.finish(DONE);
		const query = { repo: repository.path, directory: repository.worktrees, git };
		const found = async () => {
			const [listed] = (await listWorktrees(query)).worktrees;
			if (listed === undefined) throw new Error("There is no worktree.");
			return listed.worktree;
		};
		expect((await mergeWorktree(await found(), { git })).text).toContain("as uncommitted changes");
		await repository.sh("mv own.txt kept.txt");
		expect((await removeWorktree(await found(), { git })).text).toMatch(
			/was not removed: its commits on \S+ are not merged; merge or discard them\.$/,
		);
		await repository.sh("mv kept.txt own.txt");
		expect((await removeWorktree(await found(), { git })).removed).toBe(true);
	});

	test("with its work says how to get the commits back", async () => {
		const { repository, git, start } = await setUp();
		const workspace = await start("a1", { "own.txt": "own\n" });
		await workspace.finish(DONE);
		const { removed, text } = await removeWorktree(
			workspace.worktree.owner ? await ended(workspace) : workspace.worktree,
			{ git, discard: true },
		);
		expect(removed).toBe(true);
		expect(withoutIds(text, repository)).toBe(
			"general-purpose-a1 was removed. For some time `git -C HOME/project/.git branch pi-subagents/general-purpose-a1 ID` brings its commits back.",
		);
		expect(await repository.sh("git branch --list")).toBe("* main");
		await repository.sh(/`(.*)`/.exec(text)?.[1] ?? "false");
		expect(await repository.sh("git show pi-subagents/general-purpose-a1:own.txt")).toBe("own");
	});
});

describe("edits of the same file by two agents", () => {
	test("are found while they work, committed or not, and only between them", async () => {
		const { repository, git, start } = await setUp();
		await repository.write({ "dirty.txt": "dirty\n" });
		const one = await start("one", {
			"a.txt": "agent one\n",
			"new ü.txt": "one\n",
			"only.txt": "one\n",
		});
		await repository.sh("git add -A && git commit -q -m One", one.root);
		const two = await start("two", { "a.txt": "two\n", "new ü.txt": "two\n" });
		const three = await start("three", { "other.txt": "three\n" });
		const { edits, problems } = await conflictingEdits(
			[one.worktree, two.worktree, three.worktree],
			{ git },
		);
		expect(problems).toEqual([]);
		expect(
			edits.map(({ file, worktrees }) => [file, worktrees.map(({ agentId }) => agentId)]),
		).toEqual([
			["a.txt", ["one", "two"]],
			["new ü.txt", ["one", "two"]],
		]);
		await two.finish(DONE);
		const after = await conflictingEdits([one.worktree, two.worktree], { git });
		expect(after.edits.map(({ file }) => file)).toEqual(["a.txt", "new ü.txt"]);
	});
});

/** The record without its owner, as it is after the run. */
async function ended({ root }: WorktreeWorkspace): Promise<WorktreeRecord> {
	return JSON.parse(await readFile(`${root}.json`, "utf8"));
}
