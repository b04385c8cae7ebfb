import { mkdir, readdir, readFile, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createGit, type WorktreeProviderOptions, worktreeProvider } from "../src/index.js";
import {
	asPlainUser,
	DONE,
	fingerprint,
	request,
	type TestRepository,
	temporaryDirectory,
	testRepository,
	withoutIds,
} from "./support/repository.js";

function provide({ git, worktrees }: TestRepository, options: WorktreeProviderOptions = {}) {
	return worktreeProvider({ git, directory: worktrees, ...options });
}

describe("a worktree", () => {
	test("that is unchanged at the end is removed with its branch and its record", async () => {
		const repository = await testRepository();
		const before = await fingerprint(repository);
		const workspace = await provide(repository).prepare(request(repository.path));
		expect(await readFile(join(workspace.cwd, "a.txt"), "utf8")).toBe("one\n");
		const record = await stat(`${workspace.root}.json`);
		expect((record.mode & 0o777).toString(8)).toBe("600");
		const report = await workspace.finish(DONE);

		expect(report).toEqual({
			text: "The agent changed no files; its worktree was removed.",
			base: await repository.sh("git rev-parse HEAD"),
			changed: false,
			problems: [],
			commands: [],
			droppedIgnored: [],
		});
		expect(await workspace.finish(DONE)).toBe(report);
		expect(await fingerprint(repository)).toBe(before);
		expect(await repository.sh("git worktree list | wc -l; git branch | wc -l")).toBe("1\n1");
		expect(await repository.sh("find . -type f", repository.worktrees)).toBe("");
	});

	test("begins with the user's uncommitted and new files, which stay as they are", async () => {
		const repository = await testRepository();
		await repository.write({ "a.txt": "staged\n" });
		await repository.sh("git add a.txt && rm src/b.txt");
		await repository.write({ "a.txt": "unstaged\n", "new.txt": "new\n", "x.log": "ignored\n" });
		const before = await fingerprint(repository);
		const workspace = await provide(repository).prepare(request(repository.path));
		expect(
			await repository.sh("cat a.txt new.txt; ls; git status --porcelain", workspace.cwd),
		).toBe("unstaged\nnew\na.txt\nnew.txt");
		await repository.write({ "new.txt": "changed\n", "own.txt": "own\n" }, workspace.root);
		const report = await workspace.finish(DONE);

		expect(await fingerprint(repository)).toBe(before);
		expect(report).toMatchObject({
			branch: "pi-subagents/general-purpose-a1",
			changed: true,
			problems: [],
			changes: { commits: 1, files: ["new.txt", "own.txt"], insertions: 2, deletions: 1 },
		});
		expect(withoutIds(report.text, repository)).toBe(
			`The work is on branch pi-subagents/general-purpose-a1, from the working state of main at ID: 1 commit, 2 files changed, 2 insertions, 1 deletion.
Files: new.txt, own.txt.
To see it, and to merge it:
    git -C HOME/project diff ID pi-subagents/general-purpose-a1
    git -C HOME/project diff-tree -p --binary ID pi-subagents/general-purpose-a1 | git -C HOME/project apply`,
		);
		for (const command of report.commands) await repository.sh(command, repository.home);
		expect(await repository.sh("cat new.txt own.txt a.txt; git diff --cached --name-only")).toBe(
			"changed\nown\nunstaged\na.txt",
		);
	});

	test("tells the agent where it is and what it began with", async () => {
		const repository = await testRepository();
		await repository.write({ "a.txt": "dirty\n" });
		const workspace = await provide(repository).prepare(request(repository.path));
		expect(withoutIds(workspace.notes.join("\n"), repository)).toBe(
			`You work in a git worktree of your own at HOME/worktrees/project-ID/general-purpose-a1, on branch pi-subagents/general-purpose-a1.
If the task names files elsewhere in the repository by absolute paths, use the same files in your worktree.
It began from the working state of main at ID: 1 uncommitted file carried over as the commit ID.
What you change is committed to that branch when you are done.`,
		);
	});

	test("can begin at HEAD, and then the result says what is not included", async () => {
		const repository = await testRepository();
		await repository.sh("git commit -q --allow-empty -m Ahead");
		await repository.write({ "a.txt": "dirty\n", "new.txt": "new\n" });
		const workspace = await provide(repository, { base: "HEAD" }).prepare(request(repository.path));
		const head = await repository.sh("git rev-parse HEAD");
		expect(await repository.sh("git rev-parse HEAD; cat a.txt", workspace.cwd)).toBe(
			`${head}\none`,
		);
		const missing = "2 uncommitted files of the checkout are not included.";
		expect(workspace.notes).toContain(missing);
		await repository.write({ "own.txt": "own\n" }, workspace.cwd);
		const { text, commands } = await workspace.finish(DONE);
		expect(text).toContain(missing);
		expect(commands[1]).toBe(`git -C ${repository.path} merge pi-subagents/general-purpose-a1`);
		await repository.sh(commands[1] ?? "");
		expect(await repository.sh("git log -1 --format=%s%n%an; cat own.txt")).toBe(
			"Change some files\nUser\nown",
		);
	});

	test("can begin at a branch that the request decides", async () => {
		const repository = await testRepository();
		await repository.sh("git branch dev && git commit -q --allow-empty -m Ahead");
		const provider = provide(repository, { base: ({ agentId }) => agentId });
		const workspace = await provider.prepare(request(repository.path, { agentId: "dev" }));
		expect(await repository.sh("git log -1 --format=%s", workspace.cwd)).toBe("First");
		await expect(
			provider.prepare(request(repository.path, { agentId: "nowhere" })),
		).rejects.toThrow(`There is no branch nowhere in the repository at ${repository.path}.`);
		expect(await readdir(join(workspace.root, ".."))).toHaveLength(2);
	});

	test("is entered in the same sub-directory, also in one that git does not know", async () => {
		const repository = await testRepository();
		await mkdir(join(repository.path, "empty", "deep"), { recursive: true });
		const provider = provide(repository);
		const first = await provider.prepare(request(join(repository.path, "src")));
		expect(first.cwd).toBe(join(first.root, "src"));
		const deep = join(repository.path, "empty", "deep");
		const second = await provider.prepare(request(deep, { agentId: "a2" }));
		expect(second.cwd).toBe(join(second.root, "empty", "deep"));
		expect((await stat(second.cwd)).isDirectory()).toBe(true);
		expect((await second.finish(DONE)).changed).toBe(false);
	});

	test("works with blanks, quotes and letters of any language in all names", async () => {
		const repository = await testRepository({ name: "Mein 'Projekt' für 日本" });
		await repository.write({ "ä ö/ü.txt": "eins\n" });
		const directory = join(repository.home, "work trees é");
		// Also where the place is reached through a link, as temporary directories are on some systems.
		await mkdir(join(repository.home, "real"));
		await symlink("real", directory);
		const workspace = await provide(repository, { directory }).prepare(
			request(join(repository.path, "ä ö"), { type: "Prüfer/日本", agentId: "id 1|/:ü" }),
		);
		expect(workspace.cwd).toBe(join(workspace.root, "ä ö"));
		await repository.write({ "ü.txt": "zwei\n", "neu 'x'.txt": "neu\n" }, workspace.cwd);
		const report = await workspace.finish(DONE);
		expect(report.changes?.files).toEqual(["ä ö/neu 'x'.txt", "ä ö/ü.txt"]);
		for (const command of report.commands) await repository.sh(command, repository.home);
		expect(await repository.sh("cat ü.txt neu*", join(repository.path, "ä ö"))).toBe("zwei\nneu");
	});

	test("never takes a branch that is there already", async () => {
		const repository = await testRepository();
		await repository.sh("git branch pi-subagents/general-purpose-a1");
		const first = await provide(repository).prepare(request(repository.path));
		expect(first.worktree.branch).toBe("pi-subagents/general-purpose-a1-2");
		const other = await testRepository();
		await other.sh("git branch pi-subagents");
		const second = await provide(other).prepare(request(other.path));
		expect(second.worktree.branch).toBe("pi-subagents-general-purpose-a1");
	});

	test("has a name of its own even if ids are long, odd, or differ in case only", async () => {
		const repository = await testRepository();
		const provider = provide(repository);
		const long = "call|/:".repeat(60);
		const ids = [`${long}1`, `${long}2`, "A", "a"];
		const roots: string[] = [];
		for (const agentId of ids) {
			const { root, finish } = await provider.prepare(request(repository.path, { agentId }));
			roots.push(root.toLowerCase());
			expect(root.split("/").at(-1)?.length).toBeLessThan(100);
			await finish(DONE);
		}
		expect(new Set(roots).size).toBe(ids.length);
	});

	test("leaves the user's own worktrees alone, also those whose directory is not there now", async () => {
		const repository = await testRepository();
		await repository.sh(
			"git worktree add -q ../mine -b mine && git worktree add -q ../away -b away && mv ../away ../unmounted",
		);
		const before = await repository.sh("git worktree list --porcelain");
		const workspace = await provide(repository).prepare(request(join(repository.home, "mine")));
		await workspace.finish(DONE);
		expect(await repository.sh("git worktree list --porcelain")).toBe(before);
	});
});

describe("it is refused with a clear sentence, and nothing is left", () => {
	test("outside of a git repository", async () => {
		const cwd = await temporaryDirectory();
		await expect(
			worktreeProvider({ directory: join(cwd, "w") }).prepare(request(cwd)),
		).rejects.toThrow(
			`${cwd} is not in a git repository; \`git init\` and a first commit make it one.`,
		);
		expect(await readdir(cwd)).toEqual([]);
	});

	test("in a directory that is not there, and with a git that is not there", async () => {
		const repository = await testRepository();
		const missing = join(repository.path, "missing");
		await expect(provide(repository).prepare(request(missing))).rejects.toThrow(
			`Cannot find the git repository of ${missing}: git could not be run to its end: the program or the directory ${missing} was not found.`,
		);
		const git = createGit({ command: "no-such-git" });
		await expect(provide(repository, { git }).prepare(request(repository.path))).rejects.toThrow(
			/the program or the directory .* was not found/,
		);
	});

	test("without a commit, in a bare repository, and inside git's own directory", async () => {
		const repository = await testRepository();
		await repository.sh("git init -q ../empty && git init -q --bare ../bare.git");
		const empty = join(repository.home, "empty");
		const bare = join(repository.home, "bare.git");
		const inside = join(repository.path, ".git");
		const provider = provide(repository);
		await expect(provider.prepare(request(empty))).rejects.toThrow(
			`The git repository at ${empty} has no commit yet, so nothing can begin from it; make a first commit.`,
		);
		await expect(provider.prepare(request(bare))).rejects.toThrow(
			`${bare} is in a bare repository, which has no checkout to work in.`,
		);
		await expect(provider.prepare(request(inside))).rejects.toThrow(
			`${inside} is inside git's own directory, not in a checkout.`,
		);
		expect(await repository.sh("find . -type f", repository.worktrees)).toBe("");
	});

	test("if the worktrees would be inside the checkout", async () => {
		const repository = await testRepository();
		const directory = join(repository.path, ".worktrees");
		await expect(
			provide(repository, { directory }).prepare(request(repository.path)),
		).rejects.toThrow(
			`Worktrees cannot be kept in ${directory}, because that is inside the checkout ${repository.path}; choose a directory outside.`,
		);
		expect(await readdir(repository.path)).not.toContain(".worktrees");
	});

	test("while another process holds a lock that is needed", async () => {
		const repository = await testRepository();
		const lock = join(repository.path, ".git/refs/heads/pi-subagents/general-purpose-a1.lock");
		await repository.write({ [lock.slice(repository.path.length + 1)]: "" });
		// Of no concern, because the user's index is not written.
		await repository.write({ ".git/index.lock": "", "a.txt": "dirty\n" });
		await expect(provide(repository).prepare(request(repository.path))).rejects.toThrow(
			`another git process holds the lock ${lock}; try again when it has ended, or delete that file if no git is running.`,
		);
		expect(await repository.sh("find . -type f", repository.worktrees)).toBe("");
		expect(await repository.sh("git worktree list | wc -l")).toBe("1");
	});

	test("if .git is read-only", async () => {
		const repository = await testRepository();
		const git = await asPlainUser(repository);
		await repository.sh("chmod -R a-w .git");
		await expect(provide(repository, { git }).prepare(request(repository.path))).rejects.toThrow(
			/git has no permission to write there/,
		);
		await repository.sh("chmod -R u+w .git");
		expect(await repository.sh("find . -type f", repository.worktrees)).toBe("");
	});

	test("when it is stopped, at any step", async () => {
		const repository = await testRepository();
		await repository.write({ "a.txt": "dirty\n" });
		const before = await fingerprint(repository);
		for (const command of ["status", "write-tree", "worktree"]) {
			const controller = new AbortController();
			const provider = provide(repository, {
				git: (args, call) => {
					const result = repository.git(args, call);
					if (args[0] === command && call.signal !== undefined) controller.abort();
					return result;
				},
			});
			await expect(
				provider.prepare(request(repository.path, { signal: controller.signal })),
			).rejects.toThrow(/stopped/);
		}
		expect(await fingerprint(repository)).toBe(before);
		expect(await repository.sh("find . -type f", repository.worktrees)).toBe("");
		expect(await repository.sh("git worktree list | wc -l; git branch | wc -l")).toBe("1\n1");
	});
});

describe("what a new checkout lacks", () => {
	test("ignored files are linked and copied as configured, and are never committed", async () => {
		const repository = await testRepository();
		await repository.write({
			".env": "SECRET=1\n",
			"node_modules/left/index.js": "left\n",
			"node_modules/.bin/left": "bin\n",
			"kept.txt": "not ignored\n",
		});
		await repository.sh(
			"git add kept.txt && git commit -q -m Kept && rm -f kept.txt && git rm -q --cached kept.txt && git commit -q -m Gone && echo x > kept.txt && git config status.showUntrackedFiles no",
		);
		const provider = provide(repository, {
			base: "HEAD",
			ignoredFiles: { link: ["node_modules/", "../outside"], copy: [".env", "absent", "kept.txt"] },
		});
		const workspace = await provider.prepare(request(repository.path));
		expect(
			await repository.sh(
				"cat .env node_modules/left/index.js; ls -A; git status --porcelain",
				workspace.cwd,
			),
		).toBe("SECRET=1\nleft\n.env\n.git\n.gitignore\na.txt\nnode_modules\nsrc");
		expect(workspace.notes).toEqual(
			expect.arrayContaining([
				"kept.txt was not copied, because git does not ignore it.",
				"../outside was not linked, because it is not a path inside the repository.",
			]),
		);
		// A new entry stays in the worktree.
		await repository.write(
			{ "node_modules/own/index.js": "own\n", "own.txt": "own\n" },
			workspace.cwd,
		);
		await repository.sh("git add -A && git commit -q -m Own", workspace.cwd);
		const report = await workspace.finish(DONE);
		expect(report.changes?.files).toEqual(["own.txt"]);
		expect(await repository.sh("ls -A node_modules; cat node_modules/left/index.js")).toBe(
			".bin\nleft\nleft",
		);
	});

	test("a copy that the agent changed is named when it goes", async () => {
		const repository = await testRepository();
		await repository.write({ ".env": "SECRET=1\n" });
		const provider = provide(repository, { ignoredFiles: { copy: [".env"] } });
		const same = await provider.prepare(request(repository.path));
		expect((await same.finish(DONE)).droppedIgnored).toEqual([]);
		const changed = await provider.prepare(request(repository.path));
		await repository.write({ ".env": "SECRET=2 and more\n" }, changed.cwd);
		expect((await changed.finish(DONE)).droppedIgnored).toEqual([".env"]);
	});

	test("submodules, large files and repositories inside are said", async () => {
		const repository = await testRepository();
		await repository.sh(
			[
				"git init -q -b main ../library",
				"git -C ../library -c user.name=U -c user.email=u@e commit -q --allow-empty -m Library",
				"git -c protocol.file.allow=always submodule --quiet add ../library lib",
				"echo '*.bin filter=lfs' > .gitattributes",
				"git add -A && git commit -q -m Submodule",
				"git init -q inside && touch inside/file && echo dirty > a.txt",
			].join(" && "),
		);
		const workspace = await provide(repository).prepare(request(repository.path));
		expect(workspace.notes).toEqual(
			expect.arrayContaining([
				"Submodules are empty here: lib; `git submodule update --init PATH` fills one.",
				"Files under Git LFS are pointers here, because git-lfs is not set up on this machine.",
				"Repositories inside the checkout were not carried over: inside/.",
			]),
		);
		expect(await repository.sh("ls; cat a.txt", workspace.cwd)).toBe("a.txt\nlib\nsrc\ndirty");
		const report = await workspace.finish(DONE);
		expect(report.changed).toBe(false);
		expect(report.text).toContain("Submodules are empty here: lib");

		// From inside of a submodule it is that repository that the agent gets a worktree of.
		const inner = await provide(repository).prepare(request(join(repository.path, "lib")));
		await repository.write({ "own.txt": "own\n" }, inner.cwd);
		const { branch } = await inner.finish(DONE);
		expect(
			await repository.sh(`git show ${branch}:own.txt; ls`, join(repository.path, "lib")),
		).toBe("own");
	});
});
