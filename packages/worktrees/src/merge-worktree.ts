import { rm } from "node:fs/promises";
import { type Difference, describeDifference } from "./changes.js";
import { explain } from "./explain.js";
import { type MergeMode, type MergeOptions, type MergePlan, planMerge } from "./merge-plan.js";
import { count, listSome, shellWord } from "./names.js";
import { readRecord, recordFile, type WorktreeRecord, writeRecord } from "./record-file.js";

/** What a merge would do. */
export type MergePreview =
	| {
			readonly ok: true;
			/** Whether {@link mergeWorktree} would go through. */
			readonly clean: boolean;
			readonly mode: MergeMode;
			/** The root of the checkout. */
			readonly checkout: string;
			/** What would change there. */
			readonly changes: Difference;
			/** Files that both sides changed in ways that do not go together. */
			readonly conflicts: readonly string[];
			/** Uncommitted files of the checkout that would be overwritten, which git refuses. */
			readonly inTheWay: readonly string[];
			/** For people. */
			readonly text: string;
	  }
	| { readonly ok: false; readonly problem: string };

/** Says what {@link mergeWorktree} would do. Nothing is touched. */
export async function previewMerge(
	worktree: WorktreeRecord,
	options: MergeOptions = {},
): Promise<MergePreview> {
	const planned = await planMerge(worktree, options);
	if (!planned.ok) return planned;
	const { mode, checkout, changes, conflicts, inTheWay } = planned.plan;
	const refusal = refuse(worktree, planned.plan, false);
	const how = mode === "commit" ? "as a commit" : "as uncommitted changes";
	return {
		ok: true,
		clean: refusal === undefined,
		mode,
		checkout,
		changes,
		conflicts,
		inTheWay,
		text:
			refusal ??
			`A merge into ${checkout} has no conflicts: ${describeDifference(changes)}, ${how}.`,
	};
}

/** How a merge ended. */
export interface MergeResult {
	readonly merged: boolean;
	/** Files with conflict markers, or because of which nothing was merged. */
	readonly conflicts: readonly string[];
	/** For people: what was done, or why not and what to do. */
	readonly text: string;
}

/**
 * Brings the work of a worktree into a checkout. A merge with conflicts is refused, unless they are allowed; then its
 * files have conflict markers and nothing is committed. The worktree and its branch stay.
 */
export async function mergeWorktree(
	worktree: WorktreeRecord,
	options: MergeOptions & { readonly allowConflicts?: boolean } = {},
): Promise<MergeResult> {
	const allowed = options.allowConflicts ?? false;
	let planned = await planMerge(worktree, options);
	if (planned.ok && allowed && planned.plan.conflicts.length > 0) {
		// Conflicts are for the files, not for a commit.
		planned = await planMerge(worktree, { ...options, mode: "changes" });
	}
	if (!planned.ok) return { merged: false, conflicts: [], text: planned.problem };
	const { plan } = planned;
	const { conflicts, checkout, changes, mode } = plan;
	const refusal = refuse(worktree, plan, allowed);
	if (refusal !== undefined) return { merged: false, conflicts, text: refusal };
	if (changes.files.length === 0) {
		await remember(worktree, plan);
		return { merged: true, conflicts, text: `${checkout} has this work already.` };
	}
	const failure = mode === "commit" ? await commit(worktree, plan) : await apply(worktree, plan);
	if (failure !== undefined) return { merged: false, conflicts, text: failure };
	await remember(worktree, plan);
	const how = mode === "commit" ? "Merged" : "Brought, as uncommitted changes,";
	const marked =
		conflicts.length > 0 ? ` These have conflict markers: ${listSome(conflicts, 20)}.` : "";
	return {
		merged: true,
		conflicts,
		text: `${how} the work of ${worktree.name} into ${checkout}: ${describeDifference(changes)}.${marked}`,
	};
}

function refuse(worktree: WorktreeRecord, plan: MergePlan, allowed: boolean): string | undefined {
	const { conflicts, inTheWay, uncommitted, checkout } = plan;
	if (uncommitted > 0) {
		const have = uncommitted === 1 ? "is" : "are";
		return `${count(uncommitted, "file")} of ${worktree.name} ${have} not committed yet; save the worktree first.`;
	}
	if (conflicts.length > 0 && !allowed) {
		return `Nothing was merged into ${checkout}, because of conflicts in ${listSome(conflicts, 20)}.`;
	}
	if (inTheWay.length > 0) {
		return `Nothing was merged into ${checkout}, because its uncommitted changes in ${listSome(inTheWay, 20)} would be overwritten; commit them first, or bring the work in as uncommitted changes.`;
	}
	return undefined;
}

/** A fast-forward to a commit that was made before, so that git changes the files and the branch, or neither. */
async function commit(worktree: WorktreeRecord, plan: MergePlan): Promise<string | undefined> {
	const { git, checkout, head, theirs, tree, identity } = plan;
	const call = { cwd: checkout };
	const failed = (reason: string): string =>
		`The work of ${worktree.name} was not merged into ${checkout}: ${reason}. It is still on branch ${worktree.branch}.`;
	let target = theirs;
	const ahead = await git(["merge-base", "--is-ancestor", head, theirs], call);
	if (!ahead.ok && ahead.code !== 1) return failed(explain(ahead));
	if (!ahead.ok) {
		const made = await git(["commit-tree", tree, "-p", head, "-p", theirs, "-F", "-"], {
			...call,
			env: identity,
			input: `Merge branch '${worktree.branch}'\n`,
		});
		if (!made.ok) return failed(explain(made));
		target = made.stdout.trim();
	}
	const moved = await git(["merge", "--quiet", "--ff-only", "--no-autostash", target], {
		...call,
		slow: true,
	});
	if (moved.ok) return undefined;
	return `${failed(explain(moved))} \`git -C ${shellWord(checkout)} merge --ff-only ${target}\` tries it again.`;
}

/** The difference goes through a file, because its bytes need not be text. */
async function apply(worktree: WorktreeRecord, plan: MergePlan): Promise<string | undefined> {
	const { git, checkout, ours, tree } = plan;
	const failed = (reason: string): string =>
		`The work of ${worktree.name} was not brought into ${checkout}: ${reason}. It is still on branch ${worktree.branch}.`;
	const file = `${worktree.directory}.patch`;
	const written = await git(
		[
			"diff-tree",
			"-r",
			"-p",
			"--binary",
			"--full-index",
			"--ignore-submodules=all",
			`--output=${file}`,
			ours,
			tree,
		],
		{ cwd: checkout },
	);
	if (!written.ok) return failed(explain(written));
	// All of it is checked before the first file is written.
	const applied = await git(["apply", "--whitespace=nowarn", file], { cwd: checkout, slow: true });
	if (applied.ok) {
		await rm(file, { force: true }).catch(() => {});
		return undefined;
	}
	return `${failed(explain(applied))} \`git -C ${shellWord(checkout)} apply ${shellWord(file)}\` tries it again.`;
}

/** So that the branch may be deleted later, although no other branch has its commits. */
async function remember(worktree: WorktreeRecord, plan: MergePlan): Promise<void> {
	const current = await readRecord(recordFile(worktree));
	if (current === undefined) return;
	const merged = { mergedTip: plan.theirs, mergedInto: plan.checkout };
	await writeRecord({ ...current, ...merged }).catch(() => {});
}
