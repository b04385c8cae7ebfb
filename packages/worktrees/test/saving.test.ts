import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
	createGit,
	type WorktreeProviderOptions,
	type WorktreeReport,
	type WorktreeWorkspace,
	worktreeProvider,
} from "../src/index.js";
import {
	asPlainUser,
	DONE,
	request,
	type TestRepository,
	testRepository,
	withoutIds,
} from "./support/repository.js";

const BRANCH = "pi-subagents/general-purpose-a1";

/** Runs an agent that does something in its worktree. */
async function run(
	repository: TestRepository,
	work: (workspace: WorktreeWorkspace) => Promise<unknown>,
	options: WorktreeProviderOptions = {},
): Promise<WorktreeReport> {
	const { git, path, worktrees } = repository;
	const provider = worktreeProvider({ git, directory: worktrees, ...options });
	const workspace = await provider.prepare(request(path));
	await work(workspace);
	return workspace.finish(DONE);
}

/** The directories of agents that are still there. */
function kept({ sh, worktrees }: TestRepository): Promise<string> {
	return sh("find . -mindepth 2 -maxdepth 2 -type d -printf '%f '", worktrees);
}

describe("the work of an agent is on its branch, and the directory is gone", () => {
	test("although hooks refuse, signing and the editor hang, and nobody is known", async () => {
		const repository = await testRepository({ identity: false });
		await repository.write({
			"../hang": "#!/bin/sh\nsleep 600\n",
			".git/hooks/pre-commit": "#!/bin/sh\nexit 1\n",
			".git/hooks/commit-msg": "#!/bin/sh\nexit 1\n",
			".git/hooks/prepare-commit-msg": "#!/bin/sh\nsleep 600\n",
			".git/hooks/post-commit": "#!/bin/sh\nsleep 600\n",
			".git/hooks/post-checkout": "#!/bin/sh\nexit 1\n",
			".git/hooks/reference-transaction": "#!/bin/sh\nexit 1\n",
		});
		await repository.sh(
			'chmod +x ../hang .git/hooks/* && git config commit.gpgsign true && git config gpg.program "$PWD/../hang" && git config core.editor "$PWD/../hang" && git config user.useConfigOnly true && git config core.fsmonitor "$PWD/../hang"',
		);
		await repository.write({ "a.txt": "dirty\n" });
		const { text, problems } = await run(repository, ({ cwd }) =>
			repository.write({ "own.txt": "own\n", "x.sh": "#!/bin/sh\n" }, cwd),
		);
		expect(problems).toEqual([]);
		expect(text).toContain(`The work is on branch ${BRANCH}, from the working state of main`);
		expect(
			await repository.sh(
				`git log -2 --format='%s, %an <%ae>, %cn' ${BRANCH}; git show ${BRANCH}:own.txt`,
			),
		).toBe(
			`Change some files, pi-subagents <pi-subagents@localhost>, pi-subagents
Working state for general-purpose-a1, pi-subagents <pi-subagents@localhost>, pi-subagents
own`,
		);
		expect(await kept(repository)).toBe("");
	});

	test("if it committed itself, and if it committed and went on", async () => {
		const repository = await testRepository();
		const report = await run(repository, async ({ cwd }) => {
			await repository.sh("echo 1 > 1.txt && git add -A && git commit -q --no-verify -m Own", cwd);
		});
		expect(report.changes).toEqual({ commits: 1, files: ["1.txt"], insertions: 1, deletions: 0 });
		expect(await repository.sh(`git log -1 --format=%s ${BRANCH}`)).toBe("Own");
		expect(await kept(repository)).toBe("");
	});

	test("if it committed on a detached HEAD", async () => {
		const repository = await testRepository();
		const { branch, problems } = await run(repository, ({ cwd }) =>
			repository.sh(
				"git checkout -q --detach && echo 1 > 1.txt && git add -A && git commit -q -m One && echo 2 > 2.txt",
				cwd,
			),
		);
		expect([branch, problems]).toEqual([BRANCH, []]);
		expect(await repository.sh(`git show ${BRANCH}:1.txt && git show ${BRANCH}:2.txt`)).toBe(
			"1\n2",
		);
		expect(await kept(repository)).toBe("");
	});

	test("if it switched to a branch of its own", async () => {
		const repository = await testRepository();
		const { text, branch } = await run(repository, ({ cwd }) =>
			repository.sh(
				"git checkout -q -b feature && echo 1 > 1.txt && git add -A && git commit -q -m One && echo 2 > 2.txt",
				cwd,
			),
		);
		expect(branch).toBe(BRANCH);
		expect(text).toContain("At the end it had branch feature checked out.");
		expect(await repository.sh(`git show ${BRANCH}:2.txt; git log -1 --format=%s feature`)).toBe(
			"2\nOne",
		);
	});

	test("if it switched to a branch of the user, which is not moved", async () => {
		const repository = await testRepository();
		await repository.sh(
			"git checkout -q -b dev && git commit -q --allow-empty -m Dev && git checkout -q main && git commit -q --allow-empty -m Main",
		);
		const { branch } = await run(repository, ({ cwd }) =>
			repository.sh("git checkout -q dev && echo 2 > 2.txt", cwd),
		);
		expect(branch).toBe(`${BRANCH}-2`);
		expect(
			await repository.sh(
				`git show ${branch}:2.txt; git log -1 --format=%s dev; git branch --list`,
			),
		).toBe(`2\nDev\n  dev\n* main\n  ${branch}`);
		expect(await kept(repository)).toBe("");
	});

	test("if it left commits behind, but not those that it amended or rebased", async () => {
		const repository = await testRepository();
		const { text, branch } = await run(repository, ({ cwd }) =>
			repository.sh(
				[
					"git checkout -q --detach && git commit -q --allow-empty -m Left && git checkout -q -",
					"git commit -q --allow-empty -m Draft && git commit -q --amend --allow-empty -m Amended",
					"git commit -q --allow-empty -m Reset && git reset -q --hard HEAD^",
					"git -c core.editor=: rebase -q --force-rebase HEAD^",
				].join(" && "),
				cwd,
			),
		);
		expect(branch).toBe(BRANCH);
		expect(text).toContain(`Commits that it had left are on branch ${BRANCH}-left`);
		expect(
			await repository.sh(
				"git for-each-ref --format='%(refname:short) %(subject)' refs/heads/pi-subagents",
			),
		).toMatch(/^\S+-a1 Amended\n\S+-a1-left (Left|Reset)\n\S+-a1-left-2 (Left|Reset)$/);
	});

	test("if it moved its branch back", async () => {
		const repository = await testRepository();
		const { changes } = await run(repository, ({ cwd }) =>
			repository.sh(
				"echo 1 > 1.txt && git add -A && git commit -q -m One && git checkout -q --detach HEAD^",
				cwd,
			),
		);
		expect(changes?.files).toEqual(["1.txt"]);
		expect(await repository.sh(`git show ${BRANCH}:1.txt`)).toBe("1");
	});

	test("if it deleted its branch, or began a history of its own", async () => {
		const repository = await testRepository();
		await run(repository, ({ cwd }) =>
			repository.sh(
				`git checkout -q --detach && git branch -q -D ${BRANCH} && echo 1 > 1.txt`,
				cwd,
			),
		);
		expect(await repository.sh(`git show ${BRANCH}:1.txt; git branch -q -D ${BRANCH}`)).toBe("1");
		const { branch } = await run(repository, ({ cwd }) =>
			repository.sh("git checkout -q --orphan fresh && echo 2 > 2.txt", cwd),
		);
		expect(await repository.sh(`git show ${branch}:2.txt; git log --format=%s ${branch}`)).toBe(
			"2\nChange some files",
		);
	});

	test("with new files, and the ignored ones are named", async () => {
		const repository = await testRepository();
		const report = await run(repository, ({ cwd }) =>
			repository.write({ "new.txt": "new\n", "ignored/out.bin": "bin\n", "x.log": "log\n" }, cwd),
		);
		expect(report.changes?.files).toEqual(["new.txt"]);
		expect(report.droppedIgnored).toEqual(["ignored/out.bin", "x.log"]);
		expect(report.text).toContain(
			"Deleted with it, because git ignores them: ignored/out.bin, x.log.",
		);
	});

	test("and only its own changes are reported, although the user went on", async () => {
		const repository = await testRepository();
		await repository.write({ "a.txt": "dirty\n" });
		const report = await run(repository, async ({ cwd }) => {
			await repository.write({ "own.txt": "own\n" }, cwd);
			await repository.write({ "users.txt": "users\n" });
			await repository.sh("git add -A && git commit -q -m Users");
		});
		expect(report.problems).toEqual([]);
		expect(report.changes).toMatchObject({ commits: 1, files: ["own.txt"] });
		expect(withoutIds(report.text, repository)).toContain(
			"The main checkout went from ID to ID during the run; that is not part of these changes.",
		);
	});

	test("with odd descriptions and very long ones", async () => {
		const repository = await testRepository();
		const { git, path, worktrees } = repository;
		const provider = worktreeProvider({ git, directory: worktrees });
		const texts = ["$(touch /tmp/x) `id` \"'\0\n-m", "x".repeat(300_000), " \n"];
		const subjects: string[] = [];
		for (const [index, description] of texts.entries()) {
			const workspace = await provider.prepare(
				request(path, { agentId: `d${index}`, description }),
			);
			await repository.write({ "own.txt": `${index}\n` }, workspace.cwd);
			const report = await workspace.finish({ ...DONE, description });
			subjects.push(await repository.sh(`git log -1 --format=%s ${report.branch}`));
		}
		expect(subjects).toEqual([
			"$(touch /tmp/x) `id` \"' -m",
			"x".repeat(72),
			"Work of general-purpose-d2",
		]);
	});
});

describe("the directory stays, and the report says where and why", () => {
	test("if .git is read-only; the printed commands save the work later", async () => {
		const repository = await testRepository();
		const git = await asPlainUser(repository);
		const report = await run(
			repository,
			async ({ root }) => {
				await repository.write({ "own.txt": "own\n" }, root);
				await repository.sh("chmod -R a-w .git");
			},
			{ git },
		);
		await repository.sh("chmod -R u+w .git");
		expect(report.directory).toMatch(/general-purpose-a1$/);
		expect(withoutIds(report.text, repository)).toMatch(
			/^The worktree of general-purpose-a1 was not saved as a whole. Nothing was deleted: it stays at HOME\S+\.\nThe worktree at HOME\S+ was kept, because its files could not be committed: git has no permission to write there/,
		);
		for (const command of report.commands) await repository.sh(command, repository.home);
		expect(await repository.sh(`git show ${BRANCH}:own.txt`)).toBe("own");
	});

	test("if it has repositories inside, whose files git cannot take", async () => {
		const repository = await testRepository();
		const report = await run(repository, async ({ cwd }) => {
			await repository.write({ "own.txt": "own\n", "inside/file.txt": "inside\n" }, cwd);
			await repository.sh("git init -q inside", cwd);
		});
		expect(report).toMatchObject({
			branch: BRANCH,
			changed: true,
			changes: { files: ["own.txt"] },
		});
		expect(report.text).toContain(
			"was kept, because git cannot take the repositories inside it (inside/).",
		);
		expect(await readFile(join(report.directory ?? "", "inside/file.txt"), "utf8")).toBe(
			"inside\n",
		);
		expect(await repository.sh("git status --porcelain", report.directory)).toBe("?? inside/");
	});

	test("if its submodules have changes, or repositories of their own", async () => {
		const repository = await testRepository();
		await repository.sh(
			"git init -q -b main ../library && git -C ../library -c user.name=U -c user.email=u@e commit -q --allow-empty -m Library && git -c protocol.file.allow=always submodule --quiet add ../library lib && git commit -q -m Submodule",
		);
		const fill = "git -c protocol.file.allow=always submodule --quiet update --init";
		const changed = await run(repository, ({ cwd }) =>
			repository.sh(`${fill} && echo 1 > lib/1.txt`, cwd),
		);
		expect(changed.problems).toEqual([
			`The worktree at ${changed.directory} was kept, because submodules have changes that are not committed (lib).`,
		]);
		expect(await readFile(join(changed.directory ?? "", "lib/1.txt"), "utf8")).toBe("1\n");
	});

	test("if a rebase is going on", async () => {
		const repository = await testRepository();
		const report = await run(repository, ({ cwd }) =>
			repository.sh(
				"echo 1 > a.txt && git commit -q -am One && echo 2 > a.txt && git commit -q -am Two && ! git -c sequence.editor='sed -i 1d' rebase -q -i HEAD^^ 2>/dev/null",
				cwd,
			),
		);
		expect(report.text).toContain("was kept, because a rebase is going on in it.");
		expect(await repository.sh("git status | grep -c 'rebase in progress'", report.directory)).toBe(
			"1",
		);
	});

	test("if its .git file is gone; no repository above is taken for it", async () => {
		const repository = await testRepository();
		await repository.sh("git init -q", repository.home);
		const report = await run(repository, async ({ root }) => {
			await repository.write({ "own.txt": "own\n" }, root);
			await rm(join(root, ".git"));
		});
		expect(report.problems).toEqual([
			`The worktree at ${report.directory} was kept, because its .git file is missing or damaged.`,
		]);
		expect(report.commands).toEqual([]);
		expect(await readFile(join(report.directory ?? "", "own.txt"), "utf8")).toBe("own\n");
	});

	test("if files cannot be read; the others are saved", async () => {
		const repository = await testRepository();
		const git = await asPlainUser(repository);
		const report = await run(
			repository,
			async ({ root }) => {
				await repository.write({ "own.txt": "own\n", "secret.txt": "secret\n" }, root);
				await repository.sh("chmod 0 secret.txt", root);
			},
			{ git },
		);
		expect(report.problems).toEqual([
			`The worktree at ${report.directory} was kept, because some files could not be committed: git cannot read secret.txt.`,
		]);
		expect(await repository.sh(`git show ${BRANCH}:own.txt`)).toBe("own");
	});

	test("if ignored files are to be kept", async () => {
		const repository = await testRepository();
		const report = await run(
			repository,
			({ cwd }) => repository.write({ "ignored/out.bin": "bin\n" }, cwd),
			{ keepIgnored: true },
		);
		expect(report.problems).toEqual([
			`The worktree at ${report.directory} was kept, because it has files that git ignores.`,
		]);
		expect(report.droppedIgnored).toEqual([]);
	});

	test("if it is written to while it is being saved", async () => {
		const repository = await testRepository();
		let late = "";
		const report = await run(
			repository,
			async ({ cwd }) => {
				await repository.write({ "own.txt": "own\n" }, cwd);
				late = cwd;
			},
			{
				git: async (args, call) => {
					const result = await repository.git(args, call);
					if (args[0] === "commit-tree") await repository.write({ "late.txt": "late\n" }, late);
					return result;
				},
			},
		);
		expect(report.problems).toEqual([
			`The worktree at ${report.directory} was kept, because files changed while it was saved.`,
		]);
		expect(await readFile(join(late, "late.txt"), "utf8")).toBe("late\n");
	});

	test("if git hangs: it is ended after its time", async () => {
		const repository = await testRepository();
		await repository.write({
			"../hang": '#!/bin/sh\ncase "$*" in *write-tree*) sleep 600;; *) exec git "$@";; esac\n',
		});
		await repository.sh("chmod +x ../hang");
		const { environment, home } = repository;
		const git = createGit({ command: join(home, "hang"), environment, timeoutSeconds: 1 });
		const report = await run(
			repository,
			({ cwd }) => repository.write({ "own.txt": "own\n" }, cwd),
			{ git },
		);
		expect(report.text).toContain("it did not end within 1 seconds and was ended");
		for (const command of report.commands) await repository.sh(command, home);
		expect(await repository.sh(`git show ${BRANCH}:own.txt`)).toBe("own");
	});
});

describe("the report tells", () => {
	test("that the agent deleted its worktree, and keeps what it had committed", async () => {
		const repository = await testRepository();
		const report = await run(repository, async ({ root }) => {
			await repository.sh("echo 1 > 1.txt && git add -A && git commit -q -m One", root);
			await rm(root, { recursive: true });
		});
		expect(report.text).toMatch(
			/was deleted during the run; what was not committed in it is lost\./,
		);
		expect(report).not.toHaveProperty("directory");
		expect(await repository.sh(`git show ${BRANCH}:1.txt; git worktree list | wc -l`)).toBe("1\n1");
	});

	test("which files of the main checkout changed, and what became of its branch", async () => {
		const repository = await testRepository();
		await repository.write({ "a.txt": "dirty\n", "kept.txt": "kept\n", "gone.txt": "gone\n" });
		const report = await run(repository, async () => {
			await repository.write({
				"a.txt": "again\n",
				"src/b.txt": "escaped\n",
				"escaped.txt": "x\n",
			});
			await repository.sh("rm gone.txt && git checkout -q -b elsewhere");
		});
		expect(report.problems).toEqual([
			`Files in the main checkout at ${repository.path} changed during the run, by this agent or by someone else: a.txt, escaped.txt, gone.txt, src/b.txt.`,
			`The main checkout at ${repository.path} went from main to elsewhere during the run.`,
		]);
		// What it overwrote there was carried over.
		expect(await repository.sh(`git show ${report.base}:a.txt`)).toBe("dirty");
	});

	test("that the stash changed", async () => {
		const repository = await testRepository();
		const report = await run(repository, ({ cwd }) =>
			repository.sh("echo 1 > a.txt && git stash -q", cwd),
		);
		expect(report.problems).toEqual([
			"The stash of the repository changed during the run; `git stash list` shows it.",
		]);
	});
});
