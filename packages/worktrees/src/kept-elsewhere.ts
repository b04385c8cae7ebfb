import { rm } from "node:fs/promises";
import { explain } from "./explain.js";
import type { Git } from "./git.js";
import type { WorktreeRecord } from "./record-file.js";

/** Whether a commit of an agent would outlive its branch; `problem` is a clause, if git cannot tell. */
export interface KeptElsewhere {
	readonly kept: boolean;
	readonly problem?: string;
}

/** Looks for a commit on other branches and tags, and for its changes in the checkout that they were brought into. */
export async function isKeptElsewhere(
	git: Git,
	worktree: WorktreeRecord,
	commit: string,
): Promise<KeptElsewhere> {
	if (commit === worktree.mergedTip && (await isInCheckout(git, worktree, commit))) {
		return { kept: true };
	}
	const containing = ["--contains", commit, "--format=%(refname)"];
	const places = ["refs/heads", "refs/remotes", "refs/tags"];
	const result = await git(["for-each-ref", ...containing, ...places], {
		cwd: worktree.commonDirectory,
	});
	if (!result.ok) return { kept: false, problem: explain(result) };
	const own = `refs/heads/${worktree.branch}`;
	return { kept: result.stdout.split("\n").some((ref) => ref !== "" && ref !== own) };
}

/** Whether what was brought into a checkout is still there: the person may have thrown it away before it was committed. */
async function isInCheckout(git: Git, worktree: WorktreeRecord, tip: string): Promise<boolean> {
	const { base, commonDirectory, directory, mergedInto } = worktree;
	if (mergedInto === undefined) return false;
	// A file, because its bytes need not be text.
	const file = `${directory}.merged.patch`;
	const difference = ["-r", "-p", "--binary", "--full-index", "--ignore-submodules=all"];
	const written = await git(["diff-tree", ...difference, `--output=${file}`, base, tip], {
		cwd: commonDirectory,
	});
	if (!written.ok) return false;
	const there = await git(["apply", "--reverse", "--check", file], { cwd: mergedInto });
	await rm(file, { force: true }).catch(() => {});
	return there.ok;
}
