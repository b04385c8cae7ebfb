import { explain } from "./explain.js";
import type { Git } from "./git.js";
import { count } from "./names.js";

/** How the files of two commits differ. */
export interface Difference {
	/** Relative to the root of the repository. */
	readonly files: readonly string[];
	/** Lines; binary files count as none. */
	readonly insertions: number;
	readonly deletions: number;
}

/** How two commits differ. */
export interface Changes extends Difference {
	/** Commits that the newer one has and the older one does not. */
	readonly commits: number;
}

/** Counts what was done from one commit to another. */
export async function readChanges(
	git: Git,
	cwd: string,
	from: string,
	to: string,
): Promise<{ readonly changes?: Changes; readonly problem?: string }> {
	const [difference, commits] = await Promise.all([
		readDifference(git, cwd, from, to),
		git(["rev-list", "--count", `${from}..${to}`], { cwd }),
	]);
	if (!difference.difference) return { problem: difference.problem ?? "" };
	if (!commits.ok) return { problem: explain(commits) };
	return { changes: { commits: Number(commits.stdout), ...difference.difference } };
}

/** Counts how the files of two commits or trees differ. */
export async function readDifference(
	git: Git,
	cwd: string,
	from: string,
	to: string,
): Promise<{ readonly difference?: Difference; readonly problem?: string }> {
	const result = await git(["diff-tree", "-r", "-z", "--numstat", from, to], { cwd });
	return result.ok ? { difference: parseNumstat(result.stdout) } : { problem: explain(result) };
}

/** Reads the output of `git diff-tree -z --numstat`, which has no renames. */
function parseNumstat(output: string): Difference {
	const files: string[] = [];
	let insertions = 0;
	let deletions = 0;
	for (const entry of output.split("\0")) {
		const match = /^(\d+|-)\t(\d+|-)\t(.+)$/s.exec(entry);
		if (!match) continue;
		files.push(match[3] ?? "");
		insertions += Number(match[1]) || 0;
		deletions += Number(match[2]) || 0;
	}
	return { files, insertions, deletions };
}

/** `2 files changed, 3 insertions, 4 deletions`. */
export function describeDifference(changes: Difference): string {
	return [
		`${count(changes.files.length, "file")} changed`,
		count(changes.insertions, "insertion"),
		count(changes.deletions, "deletion"),
	].join(", ");
}
