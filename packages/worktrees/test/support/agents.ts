import { createHash } from "node:crypto";
import type { WorktreeWorkspace } from "../../src/index.js";
import type { TestRepository } from "./repository.js";

/** An agent whose work has contents that no other has. */
export interface TestAgent {
	work(repository: TestRepository, workspace: WorktreeWorkspace, id: string): Promise<void>;
	contents(id: string): readonly string[];
}

/** It commits some of its work and leaves the rest. */
export const COMMITTED_AND_NOT: TestAgent = {
	work: async ({ git, write }, { cwd }, id) => {
		await write({ "src/b.txt": `own ${id}\n` }, cwd);
		await git(["commit", "-q", "-a", "-m", "Own"], { cwd });
		await write({ "a.txt": `edited ${id}\n`, "new.txt": `new ${id}\n` }, cwd);
	},
	contents: (id) => [`own ${id}\n`, `edited ${id}\n`, `new ${id}\n`],
};

/** It leaves a commit behind and ends on a detached HEAD. */
export const DETACHED: TestAgent = {
	work: async ({ git, write }, { cwd, worktree }, id) => {
		await git(["checkout", "-q", "--detach"], { cwd });
		await write({ "a.txt": `left ${id}\n` }, cwd);
		await git(["commit", "-q", "-a", "-m", "Left"], { cwd });
		await git(["checkout", "-q", "--detach", worktree.base], { cwd });
		await write({ "src/b.txt": `own ${id}\n` }, cwd);
		await git(["commit", "-q", "-a", "-m", "Own"], { cwd });
	},
	contents: (id) => [`left ${id}\n`, `own ${id}\n`],
};

/** Which contents are in no commit that a branch has, or the HEAD of a kept worktree now or before. */
export async function lost(
	repository: TestRepository,
	contents: readonly string[],
): Promise<readonly string[]> {
	const heads = await repository.sh(
		"cat .git/worktrees/*/HEAD .git/worktrees/*/logs/HEAD 2>/dev/null || true",
	);
	const commits = heads.match(/\b[0-9a-f]{40}\b/g)?.filter((id) => !/^0+$/.test(id)) ?? [];
	const reachable = await repository.sh(
		`git rev-list --objects --branches ${[...new Set(commits)].join(" ")}`,
	);
	return contents.filter((content) => !reachable.includes(blobId(content)));
}

function blobId(content: string): string {
	return createHash("sha1").update(`blob ${content.length}\0${content}`).digest("hex");
}
