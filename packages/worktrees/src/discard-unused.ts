import { rm } from "node:fs/promises";
import { explain, explainError } from "./explain.js";
import type { Git } from "./git.js";
import { removeRecord, type WorktreeRecord } from "./record-file.js";
import { readRefs } from "./refs.js";

/** Removes a worktree that no agent has worked in. What could not be removed is said, one sentence each. */
export async function discardUnused(git: Git, record: WorktreeRecord): Promise<readonly string[]> {
	const { directory, branch, base, commonDirectory } = record;
	const call = { cwd: commonDirectory };
	const problems: string[] = [];
	// Without a base, nothing but the record was begun.
	if (base !== "") {
		// Forced twice, because git locks a worktree until it is finished.
		const remove = ["worktree", "remove", "--force", "--force", directory];
		const removed = await git(remove, call);
		if (!removed.ok) {
			// A directory that git does not know of, or not any more, is ours all the same; then git can forget it.
			await rm(directory, { recursive: true, force: true }).catch((error: unknown) => {
				problems.push(`${directory} could not be removed: ${explainError(error)}.`);
			});
			const again = await git(remove, call);
			if (!again.ok && !/is not a working tree/.test(again.stderr)) {
				problems.push(`git could not forget the worktree ${directory}: ${explain(again)}.`);
			}
		}
		const { refs } = await readRefs(git, commonDirectory, [`refs/heads/${branch}`]);
		if (refs.get(`refs/heads/${branch}`)?.commit === base) {
			const deleted = await git(["update-ref", "-d", `refs/heads/${branch}`, base], call);
			if (!deleted.ok) {
				problems.push(`The unused branch ${branch} could not be deleted: ${explain(deleted)}.`);
			}
		}
	}
	if (problems.length === 0) await removeRecord(record).catch(() => {});
	return problems;
}
