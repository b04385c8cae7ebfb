import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { worktreeProvider } from "../src/index.js";
import { DONE, fingerprint, request, testRepository } from "./support/repository.js";

test("an unchanged worktree is removed with its branch and its record", async () => {
	const repository = await testRepository();
	const before = await fingerprint(repository);
	const provider = worktreeProvider({ git: repository.git, directory: repository.worktrees });

	const workspace = await provider.prepare(request(repository.path));
	expect(await readFile(join(workspace.cwd, "a.txt"), "utf8")).toBe("one\n");
	const report = await workspace.finish(DONE);

	expect(report).toEqual({
		text: "The agent changed no files; its worktree was removed.",
		base: await repository.sh("git rev-parse HEAD"),
		changed: false,
		problems: [],
		commands: [],
		droppedIgnored: [],
	});
	expect(await fingerprint(repository)).toBe(before);
	expect(await repository.sh("git worktree list | wc -l; git branch | wc -l")).toBe("1\n1");
	expect(await repository.sh("find . -type f", repository.worktrees)).toBe("");
});

test("the user's uncommitted and new files are carried over, and stay as they are", async () => {
	const repository = await testRepository();
	await repository.write({ "a.txt": "staged\n" });
	await repository.sh("git add a.txt");
	await repository.write({ "a.txt": "unstaged\n", "new file.txt": "new\n", "x.log": "ignored\n" });
	await repository.sh("rm src/b.txt");
	const before = await fingerprint(repository);
	const provider = worktreeProvider({ git: repository.git, directory: repository.worktrees });

	const workspace = await provider.prepare(request(repository.path));
	expect(await repository.sh("cat a.txt 'new file.txt'; ls", workspace.cwd)).toBe(
		"unstaged\nnew\na.txt\nnew file.txt",
	);
	expect(await repository.sh("git status --porcelain", workspace.cwd)).toBe("");
	expect(workspace.notes.join("\n")).toMatch(
		/It began from the working state of main at \w{10}: 3 uncommitted files carried over as the commit \w{10}\./,
	);
	await repository.write({ "new file.txt": "changed\n", "own.txt": "own\n" }, workspace.root);
	const report = await workspace.finish(DONE);

	expect(await fingerprint(repository)).toBe(before);
	expect(report).toMatchObject({
		branch: "pi-subagents/general-purpose-a1",
		changed: true,
		problems: [],
		changes: { commits: 1, files: ["new file.txt", "own.txt"], insertions: 2, deletions: 1 },
	});
	expect(report.text).toMatchInlineSnapshot(`
		"The work is on branch pi-subagents/general-purpose-a1, from the working state of main at d6b673a3e5: 1 commit, 2 files changed, 2 insertions, 1 deletion.
		Files: new file.txt, own.txt.
		To see it, and to merge it:
		    git -C /tmp/worktrees-FUGSsI/project diff f1e358177d91a6f0df435fa890af6b3fd1bd9721 pi-subagents/general-purpose-a1
		    git -C /tmp/worktrees-FUGSsI/project diff-tree -p --binary f1e358177d91a6f0df435fa890af6b3fd1bd9721 pi-subagents/general-purpose-a1 | git -C /tmp/worktrees-FUGSsI/project apply"
	`);
	for (const command of report.commands) await repository.sh(command);
	expect(
		await repository.sh("cat 'new file.txt' own.txt a.txt; git diff --cached --name-only"),
	).toBe("changed\nown\nunstaged\na.txt");
});
