import { dirname, join } from "node:path";
import { type Difference, readDifference } from "./changes.js";
import { cannotRead, type WorktreeCall } from "./diff-worktree.js";
import { explain, explainError } from "./explain.js";
import { createGit, type Git, type GitResult } from "./git.js";
import { findIdentity, type Identity } from "./identity.js";
import type { WorktreeRecord } from "./record-file.js";
import { findRepository } from "./repository.js";
import { writeSnapshot } from "./snapshot.js";
import { countUncommitted, readStatus } from "./status.js";
import { inTemporaryDirectory, readWork } from "./work.js";

/** How the work gets into the checkout: as a commit on its branch, or as uncommitted changes of its files. */
export type MergeMode = "commit" | "changes";

/** Options of a merge and of its preview. */
export interface MergeOptions extends WorktreeCall {
	/**
	 * A directory in the checkout that the work goes into.
	 * @defaultValue the checkout that the agent was started from
	 */
	readonly into?: string;
	/** @defaultValue `changes` if the agent began with uncommitted files, which a commit would bring along; else `commit` */
	readonly mode?: MergeMode;
}

/** Everything that is known before a checkout is touched. */
export interface MergePlan {
	readonly git: Git;
	readonly mode: MergeMode;
	/** The root of the checkout. */
	readonly checkout: string;
	/** The commit that is checked out there. */
	readonly head: string;
	/** The files of the checkout as they are now, as a commit. */
	readonly ours: string;
	/** The agent's work. */
	readonly theirs: string;
	/** The files after the merge; with conflict markers where there are conflicts. */
	readonly tree: string;
	/** What the merge does to the checkout. */
	readonly changes: Difference;
	/** Files that both sides changed in ways that do not go together. */
	readonly conflicts: readonly string[];
	/** Uncommitted files of the checkout that a `commit` merge would overwrite, so git refuses it. */
	readonly inTheWay: readonly string[];
	/** Files of the worktree that are not committed yet. */
	readonly uncommitted: number;
	readonly identity: Identity;
}

/** A plan, or why there is none: one sentence. */
export type Planned =
	| { readonly ok: true; readonly plan: MergePlan }
	| { readonly ok: false; readonly problem: string };

/** Merges in git's object store only: no checkout, index, branch or stash is touched. */
export async function planMerge(worktree: WorktreeRecord, options: MergeOptions): Promise<Planned> {
	const git = options.git ?? createGit();
	const { signal } = options;
	const mode = options.mode ?? (worktree.carried ? "changes" : "commit");
	const work = await readWork(git, worktree, signal);
	if (!work.ok) return { ok: false, problem: cannotRead(worktree, work.problem) };

	let repository: Awaited<ReturnType<typeof findRepository>>;
	try {
		repository = await findRepository(git, options.into ?? worktree.checkout, signal);
	} catch (error) {
		return { ok: false, problem: explainError(error) };
	}
	const { checkout, gitDirectory } = repository;
	const cannot = (reason: string): Planned => ({
		ok: false,
		problem: `The work of ${worktree.name} cannot be merged into ${checkout}: ${reason}.`,
	});
	const { status, result } = await readStatus(git, checkout, { signal });
	if (!status) return cannot(explain(result));
	const { head } = status;
	if (head === undefined) return cannot("it has no commit yet");
	if (status.conflicts.length > 0) return cannot("another merge is going on in it");

	const identity = await findIdentity(git, checkout);
	let ours = head;
	if (mode === "changes") {
		const snapshot = await inTemporaryDirectory(dirname(worktree.directory), (temporary) =>
			writeSnapshot({
				git,
				checkout,
				gitDirectory,
				indexFile: join(temporary, "index"),
				exclude: status.embedded,
				// With the base as a parent the agent's own changes are what is merged, whatever became of the base.
				parents: [head, worktree.base],
				message: "Working state",
				identity,
				signal,
			}),
		);
		if (!snapshot.ok) return cannot(snapshot.problem);
		ours = snapshot.commit;
	}
	const merged = await git(
		["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", ours, work.commit],
		{ cwd: checkout, signal },
	);
	if (!merged.ok && merged.code !== 1) return cannot(explainMergeTree(merged));
	const [tree = "", ...names] = merged.stdout.split("\0").filter((part) => part !== "");

	const { difference: changes, problem } = await readDifference(git, checkout, ours, tree);
	if (!changes) return cannot(problem ?? "");
	const touched = new Set(changes.files);
	const dirty = countUncommitted(status) > 0 ? [...status.modified, ...status.untracked] : [];
	return {
		ok: true,
		plan: {
			git,
			mode,
			checkout,
			head,
			ours,
			theirs: work.commit,
			tree,
			changes,
			conflicts: [...new Set(names)],
			inTheWay: mode === "commit" ? dirty.filter((path) => touched.has(path)) : [],
			uncommitted: work.uncommitted,
			identity,
		},
	};
}

function explainMergeTree(result: GitResult): string {
	return result.code === 129 ? "that needs git 2.38 or later" : explain(result);
}
