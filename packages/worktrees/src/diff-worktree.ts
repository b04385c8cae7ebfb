import { type Changes, readChanges } from "./changes.js";
import { explain } from "./explain.js";
import { createGit, type Git } from "./git.js";
import type { WorktreeRecord } from "./record-file.js";
import { readWork } from "./work.js";

/** What the functions on a worktree have in common. */
export interface WorktreeCall {
	/** @defaultValue {@link createGit} without options */
	readonly git?: Git;
	readonly signal?: AbortSignal;
}

/** The changes of an agent. */
export type WorktreeDiff =
	| {
			readonly ok: true;
			readonly changes: Changes;
			/** How many of the files are not committed yet; their changes are included. */
			readonly uncommitted: number;
			/** In git's format. */
			readonly patch: string;
	  }
	| { readonly ok: false; readonly problem: string };

/** What an agent changed since it began, committed or not; also while it works. Nothing is touched. */
export async function diffWorktree(
	worktree: WorktreeRecord,
	call: WorktreeCall = {},
): Promise<WorktreeDiff> {
	const git = call.git ?? createGit();
	const { base, commonDirectory } = worktree;
	const work = await readWork(git, worktree, call.signal);
	if (!work.ok) return { ok: false, problem: cannotRead(worktree, work.problem) };
	const [counted, patch] = await Promise.all([
		readChanges(git, commonDirectory, base, work.commit),
		git(["diff", "--no-color", "--no-ext-diff", base, work.commit], {
			cwd: commonDirectory,
			signal: call.signal,
		}),
	]);
	if (!patch.ok) return { ok: false, problem: cannotRead(worktree, explain(patch)) };
	if (!counted.changes) return { ok: false, problem: cannotRead(worktree, counted.problem ?? "") };
	return { ok: true, changes: counted.changes, uncommitted: work.uncommitted, patch: patch.stdout };
}

/** A sentence. */
export function cannotRead(worktree: WorktreeRecord, reason: string): string {
	return `The work of ${worktree.name} cannot be read: ${reason}.`;
}
