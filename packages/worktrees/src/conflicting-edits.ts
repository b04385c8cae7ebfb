import { cannotRead, type WorktreeCall } from "./diff-worktree.js";
import { explain } from "./explain.js";
import { exists } from "./files.js";
import { createGit, type Git, type GitResult } from "./git.js";
import type { WorktreeRecord } from "./record-file.js";

/** A file that more than one agent has changed. */
export interface ConflictingEdit {
	/** Relative to the root of the repository. */
	readonly file: string;
	readonly worktrees: readonly WorktreeRecord[];
}

/** Files that more than one agent has changed, in order of their names, and what could not be read. */
export interface ConflictingEdits {
	readonly edits: readonly ConflictingEdit[];
	/** One sentence each. */
	readonly problems: readonly string[];
}

/** Compares what agents have changed up to now, committed or not. Only those of one repository can be in conflict. */
export async function conflictingEdits(
	worktrees: readonly WorktreeRecord[],
	call: WorktreeCall = {},
): Promise<ConflictingEdits> {
	const git = call.git ?? createGit();
	const byFile = new Map<string, WorktreeRecord[]>();
	const problems: string[] = [];
	for (const worktree of worktrees) {
		const { files, problem } = await changedFiles(git, worktree, call.signal);
		if (problem !== undefined) problems.push(cannotRead(worktree, problem));
		for (const file of files) {
			const key = `${worktree.commonDirectory}\0${file}`;
			byFile.set(key, [...(byFile.get(key) ?? []), worktree]);
		}
	}
	const edits = [...byFile]
		.filter(([, editors]) => editors.length > 1)
		.map(([key, editors]) => ({ file: key.slice(key.indexOf("\0") + 1), worktrees: editors }))
		.sort((one, other) => (one.file < other.file ? -1 : 1));
	return { edits, problems };
}

async function changedFiles(
	git: Git,
	worktree: WorktreeRecord,
	signal: AbortSignal | undefined,
): Promise<{ readonly files: ReadonlySet<string>; readonly problem?: string }> {
	const { directory, base, branch, commonDirectory } = worktree;
	const results: GitResult[] = [];
	if (await exists(directory)) {
		const call = { cwd: directory, signal };
		results.push(
			await git(["diff", "--name-only", "--no-renames", "--no-ext-diff", "-z", base], call),
			await git(["ls-files", "--others", "--exclude-standard", "-z"], call),
		);
	} else {
		const range = [base, `refs/heads/${branch}`];
		const call = { cwd: commonDirectory, signal };
		results.push(await git(["diff-tree", "-r", "--name-only", "-z", ...range], call));
	}
	const failed = results.find(({ ok }) => !ok);
	const names = results.flatMap(({ stdout }) => stdout.split("\0")).filter((name) => name !== "");
	return { files: new Set(names), ...(failed && { problem: explain(failed) }) };
}
