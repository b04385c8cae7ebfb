import { explain } from "./explain.js";
import { exists } from "./files.js";
import type { Git, GitResult } from "./git.js";
import { shellWord } from "./names.js";
import { temporaryIndex, type WorktreeRecord } from "./record-file.js";

/**
 * Removes the directory of a worktree whose work is on its branch. git looks once more itself, unless we have just
 * committed what it would complain about (`snapshot`); then we look.
 */
export async function removeDirectory(
	git: Git,
	record: WorktreeRecord,
	snapshot: boolean,
): Promise<{ readonly keep?: string; readonly rescue: readonly string[] }> {
	const { directory, commonDirectory } = record;
	if (snapshot) {
		const late = await git(
			["ls-files", "-z", "--modified", "--deleted", "--others", "--exclude-standard"],
			{ cwd: directory, env: { GIT_INDEX_FILE: temporaryIndex(directory) } },
		);
		if (!late.ok) return { keep: explain(late), rescue: [] };
		if (late.stdout !== "") return { keep: "files changed while it was saved", rescue: [] };
	}
	const force = snapshot ? ["--force"] : [];
	const removed = await git(["worktree", "remove", ...force, directory], {
		cwd: commonDirectory,
		slow: true,
	});
	if (removed.ok) return { rescue: [] };
	if (!(await exists(directory))) {
		// It was broken off after that, or the agent deleted it: git only has to forget it.
		const again = await git(["worktree", "remove", directory], { cwd: commonDirectory });
		if (again.ok || /is not a working tree/.test(again.stderr)) return { rescue: [] };
	}
	if (/contains modified or untracked files/.test(removed.stderr)) {
		return { keep: "files changed while it was saved", rescue: [] };
	}
	return {
		keep: `git could not remove it, although its work is safe: ${explain(removed)}`,
		// Without the directory git only has to forget it, so this also ends a removal that was broken off.
		rescue: [
			`rm -rf ${shellWord(directory)}`,
			`git -C ${shellWord(commonDirectory)} worktree remove --force ${shellWord(directory)}`,
		],
	};
}

/** What went wrong, one sentence each. */
export async function deleteEmptyBranch(
	git: Git,
	record: WorktreeRecord,
): Promise<readonly string[]> {
	const deleted = await deleteBranchAtBase(git, record);
	if (deleted.ok) return [];
	return [
		`The branch ${record.branch}, which has no changes, could not be deleted: ${explain(deleted)}.`,
	];
}

/** Deletes the branch of a worktree; git refuses if the branch is anywhere else. */
export function deleteBranchAtBase(git: Git, record: WorktreeRecord): Promise<GitResult> {
	const { branch, base, commonDirectory } = record;
	return git(["update-ref", "-d", `refs/heads/${branch}`, base], { cwd: commonDirectory });
}
