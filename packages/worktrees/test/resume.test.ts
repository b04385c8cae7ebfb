import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readProcess, type WorktreeWorkspace, worktreeProvider } from "../src/index.js";
import {
	DONE,
	fingerprint,
	request,
	type TestRepository,
	testRepository,
} from "./support/repository.js";

const BRANCH = "pi-subagents/general-purpose-a1";

/** A repository whose agent has ended with work on its branch. */
async function afterFirstRun() {
	const repository = await testRepository();
	const provider = worktreeProvider({ git: repository.git, directory: repository.worktrees });
	const workspace = await provider.prepare(request(repository.path));
	await repository.write({ "own.txt": "own\n" }, workspace.cwd);
	const previous = await workspace.finish(DONE);
	return { repository, provider, previous, root: workspace.root };
}

test("a resumed agent gets a new worktree at the same place, on its branch", async () => {
	const { repository, provider, previous, root } = await afterFirstRun();
	const before = await fingerprint(repository);
	const workspace = await provider.prepare(request(repository.path, { previous }));
	expect(workspace.root).toBe(root);
	expect(workspace.worktree.branch).toBe(BRANCH);
	expect(workspace.notes).toContain(
		`It has the earlier work of this agent, from branch ${BRANCH}.`,
	);
	await repository.write({ "more.txt": "more\n" }, workspace.cwd);
	const report = await workspace.finish(DONE);
	expect(report.changes).toMatchObject({ commits: 2, files: ["more.txt", "own.txt"] });
	expect(await fingerprint(repository)).toBe(before);
});

test("the note about its branch is there again if the resumed run changes nothing", async () => {
	const { repository, provider, previous } = await afterFirstRun();
	const workspace = await provider.prepare(request(repository.path, { previous }));
	const report = await workspace.finish(DONE);
	expect(report).toEqual(previous);
});

test("also another process finds the branch, with the record or with the earlier report only", async () => {
	const { repository, previous, root } = await afterFirstRun();
	await rm(`${root}.json`);
	const other = worktreeProvider({ git: repository.git, directory: repository.worktrees });
	const workspace = await other.prepare(request(repository.path, { previous }));
	expect(await readFile(join(workspace.cwd, "own.txt"), "utf8")).toBe("own\n");
	expect((await workspace.finish(DONE)).changes).toMatchObject({ commits: 1, files: ["own.txt"] });
});

test("a directory that had to stay is given back as it is", async () => {
	const repository = await testRepository();
	const provider = worktreeProvider({ git: repository.git, directory: repository.worktrees });
	const first = await provider.prepare(request(repository.path));
	await repository.write({ "inside/file.txt": "inside\n" }, first.cwd);
	await repository.sh("git init -q inside", first.cwd);
	const previous = await first.finish(DONE);
	expect(previous.directory).toBe(first.root);

	const second = await provider.prepare(request(repository.path, { previous }));
	expect(second.root).toBe(first.root);
	expect(await readFile(join(second.cwd, "inside/file.txt"), "utf8")).toBe("inside\n");
	expect(second.notes).toContain(`It is the worktree of the earlier run, on branch ${BRANCH}.`);
	await rm(join(second.cwd, "inside"), { recursive: true });
	expect((await second.finish(DONE)).changed).toBe(false);
});

test("an agent whose branch is gone begins anew and is told", async () => {
	const { repository, provider, previous } = await afterFirstRun();
	await repository.sh(`git merge -q ${BRANCH} && git branch -q -d ${BRANCH}`);
	const workspace = await provider.prepare(request(repository.path, { previous }));
	expect(workspace.notes).toContain(
		`The branch ${BRANCH} of the earlier run is not there any more.`,
	);
	expect(await readFile(join(workspace.cwd, "own.txt"), "utf8")).toBe("own\n");
	expect((await workspace.finish(DONE)).changed).toBe(false);
});

test("a branch that the user has checked out is left to the user", async () => {
	const { repository, provider, previous } = await afterFirstRun();
	await repository.sh(`git checkout -q ${BRANCH}`);
	const workspace = await provider.prepare(request(repository.path, { previous }));
	expect(workspace.worktree.branch).toBe(`${BRANCH}-2`);
	await repository.write({ "more.txt": "more\n" }, workspace.cwd);
	const report = await workspace.finish(DONE);
	expect([report.branch, report.problems]).toEqual([`${BRANCH}-2`, []]);
	expect(await repository.sh("git status --porcelain; git log -1 --format=%s")).toBe(
		"Change some files",
	);
});

test("a worktree whose directory was deleted by hand is made again", async () => {
	const { repository, provider, previous } = await afterFirstRun();
	const second = await provider.prepare(request(repository.path, { previous }));
	await rm(second.root, { recursive: true });
	const other = worktreeProvider({ git: repository.git, directory: repository.worktrees });
	const third = await other.prepare(request(repository.path, { previous }));
	expect(await readFile(join(third.cwd, "own.txt"), "utf8")).toBe("own\n");
});

test("what is in the way is moved aside, never deleted", async () => {
	const { repository, provider, previous, root } = await afterFirstRun();
	await repository.write({ "notes.txt": "notes\n" }, root);
	const workspace = await provider.prepare(request(repository.path, { previous }));
	expect(workspace.notes).toContain(
		`What was left at ${root} without git's data was moved to ${root}.old-1.`,
	);
	expect(await readFile(`${root}.old-1/notes.txt`, "utf8")).toBe("notes\n");
});

test("two runs cannot have the same worktree", async () => {
	const repository = await testRepository();
	const provider = worktreeProvider({ git: repository.git, directory: repository.worktrees });
	const first = await provider.prepare(request(repository.path));
	await expect(provider.prepare(request(repository.path))).rejects.toThrow(
		"The worktree of agent a1 is in use already.",
	);
	await giveTo(first, process.ppid);
	const other = worktreeProvider({ git: repository.git, directory: repository.worktrees });
	await expect(other.prepare(request(repository.path))).rejects.toThrow(
		`The worktree at ${first.root} is in use by the process ${process.ppid}.`,
	);
});

test("the worktree of a process that was killed is taken over with all that is in it", async () => {
	const repository = await testRepository();
	const provider = worktreeProvider({ git: repository.git, directory: repository.worktrees });
	const first = await provider.prepare(request(repository.path));
	await repository.write({ "own.txt": "own\n" }, first.cwd);
	await giveTo(first, 2 ** 22 + 1);
	const other = worktreeProvider({ git: repository.git, directory: repository.worktrees });
	const second = await other.prepare(request(repository.path));
	expect(await readFile(join(second.cwd, "own.txt"), "utf8")).toBe("own\n");
	expect((await second.finish(DONE)).changes?.files).toEqual(["own.txt"]);
});

test("a refusal to give it back touches nothing", async () => {
	const { repository, previous, provider } = await afterFirstRun();
	const second = await provider.prepare(request(repository.path, { previous }));
	await repository.write({ "unsaved.txt": "unsaved\n" }, second.cwd);
	const failing = worktreeProvider({
		directory: repository.worktrees,
		git: (args, call) =>
			args[0] === "status" && call.cwd === second.root
				? Promise.resolve({ ok: false, code: 128, stdout: "", stderr: "fatal: index file corrupt" })
				: repository.git(args, call),
	});
	await expect(failing.prepare(request(repository.path, { previous }))).rejects.toThrow(
		`The worktree of this agent at ${second.root} cannot be used: index file corrupt. Nothing in it was touched.`,
	);
	expect(await contents(repository, second)).toBe("unsaved\n");
});

async function giveTo({ root, worktree }: WorktreeWorkspace, pid: number): Promise<void> {
	const started = (await readProcess(pid)) ?? "long ago";
	await writeFile(`${root}.json`, JSON.stringify({ ...worktree, owner: { pid, started } }));
}

function contents({ sh }: TestRepository, { cwd }: WorktreeWorkspace): Promise<string> {
	return sh("cat unsaved.txt", cwd).then((text) => `${text}\n`);
}
