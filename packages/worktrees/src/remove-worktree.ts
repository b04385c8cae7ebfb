import { discardUnused } from "./discard-unused.js";
import { explain } from "./explain.js";
import { exists } from "./files.js";
import { createGit, type Git } from "./git.js";
import { inspectWorktree } from "./inspect-worktree.js";
import { isKeptElsewhere } from "./kept-elsewhere.js";
import { findLeftCommits } from "./left-commits.js";
import { count, shellWord } from "./names.js";
import { readProcess } from "./process-identity.js";
import { removeRecord, type WorktreeRecord } from "./record-file.js";
import { readRefs } from "./refs.js";
import { type EndWorktreeOptions, whyRunning } from "./save-worktree.js";
import { countUncommitted } from "./status.js";

/** What became of a worktree that was to be removed. */
export interface RemoveResult {
	readonly removed: boolean;
	/** For people: what was removed, or why nothing was. */
	readonly text: string;
}

/**
 * Removes a worktree, its branch and its record. It is refused while the agent runs, and while there is work that is
 * nowhere else: uncommitted files, or commits that are neither merged nor on another branch.
 */
export async function removeWorktree(
	worktree: WorktreeRecord,
	options: EndWorktreeOptions & {
		/** Removes it with its work. */
		readonly discard?: boolean;
	} = {},
): Promise<RemoveResult> {
	const git = options.git ?? createGit();
	const running = await whyRunning(worktree, options.readProcess ?? readProcess);
	if (running !== undefined) return { removed: false, text: running };
	const { directory, branch, commonDirectory, name } = worktree;
	if (worktree.stage === "preparing") {
		const problems = await discardUnused(git, worktree);
		if (problems.length > 0) return { removed: false, text: problems.join(" ") };
		return { removed: true, text: `${name} was removed; it had not been used.` };
	}
	const full = `refs/heads/${branch}`;
	const { refs, result } = await readRefs(git, commonDirectory, [full]);
	if (!result.ok) return { removed: false, text: `${name} was not removed: ${explain(result)}.` };
	const tip = refs.get(full)?.commit;
	if (!options.discard) {
		const work = await findUnsaved(git, worktree, tip);
		if (work !== undefined) return { removed: false, text: `${name} was not removed: ${work}.` };
	}
	if (await exists(directory)) {
		const force = options.discard ? ["--force"] : [];
		const call = { cwd: commonDirectory, slow: true };
		const removed = await git(["worktree", "remove", ...force, directory], call);
		if (!removed.ok) {
			return {
				removed: false,
				text: `${directory} could not be removed: ${explain(removed)}. The branch ${branch} is still there.`,
			};
		}
	}
	if (tip !== undefined) {
		const deleted = await git(["update-ref", "-d", full, tip], { cwd: commonDirectory });
		if (!deleted.ok) {
			return {
				removed: false,
				text: `The branch ${branch} could not be deleted: ${explain(deleted)}.`,
			};
		}
	}
	await removeRecord(worktree).catch(() => {});
	const back =
		tip === undefined || tip === worktree.base
			? ""
			: ` For some time \`git -C ${shellWord(commonDirectory)} branch ${branch} ${tip}\` brings its commits back.`;
	return { removed: true, text: `${name} was removed.${back}` };
}

/** A clause about work that would be lost. */
async function findUnsaved(
	git: Git,
	worktree: WorktreeRecord,
	tip: string | undefined,
): Promise<string | undefined> {
	const inspection = await inspectWorktree(git, worktree);
	if (inspection.kind === "unreadable")
		return `its directory cannot be read: ${inspection.problem}`;
	const commits = new Set(tip === undefined ? [] : [tip]);
	if (inspection.kind === "readable") {
		const uncommitted = countUncommitted(inspection.status);
		if (uncommitted > 0) {
			return `it has ${count(uncommitted, "uncommitted file")}; save or discard them`;
		}
		const [reason] = inspection.keep;
		if (reason !== undefined) return reason;
		if (inspection.status.head !== undefined) commits.add(inspection.status.head);
		const { gitDirectory } = inspection;
		const kept = [worktree.base, ...commits];
		const left = await findLeftCommits(git, worktree.commonDirectory, gitDirectory, kept);
		if (!left.ok) return `its history cannot be read: ${left.problem}`;
		if (left.tips.length > 0) return "it has commits that are on no branch; save or discard them";
	}
	for (const commit of commits) {
		if (commit === worktree.base) continue;
		const { kept, problem } = await isKeptElsewhere(git, worktree, commit);
		if (problem !== undefined) return problem;
		if (!kept) return `its commits on ${worktree.branch} are not merged; merge or discard them`;
	}
	return undefined;
}
