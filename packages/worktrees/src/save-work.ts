import { explain } from "./explain.js";
import type { Git, GitResult } from "./git.js";
import type { Identity } from "./identity.js";
import type { Inspection } from "./inspect-worktree.js";
import { findLeftCommits } from "./left-commits.js";
import { shellWord } from "./names.js";
import { temporaryIndex, type WorktreeRecord } from "./record-file.js";
import { moveBranch, nextFree, type Reference, readRefs } from "./refs.js";
import { writeSnapshot } from "./snapshot.js";
import { countUncommitted } from "./status.js";

/** Where the work of a worktree is after {@link saveWork}. */
export interface SavedWork {
	/** The commit that has all the work. */
	readonly tip?: string;
	/** The branch that it is on; not always the worktree's own. */
	readonly branch: string;
	/** Further branches that had to be made for commits that the agent left. */
	readonly moreBranches: readonly string[];
	/** Whether the files were put into the commit by us, so that the directory's own index is behind. */
	readonly snapshot: boolean;
	/** Why the directory must stay: clauses. Empty: everything in it that git does not ignore is on a branch. */
	readonly keep: readonly string[];
	/** Shell commands that save what could not be saved. */
	readonly rescue: readonly string[];
}

/** What {@link saveWork} needs. */
export interface SaveRequest {
	readonly git: Git;
	readonly record: WorktreeRecord;
	readonly inspection: Extract<Inspection, { kind: "readable" }>;
	readonly refs: ReadonlyMap<string, Reference>;
	readonly message: string;
	readonly identity: () => Promise<Identity>;
}

/**
 * Puts everything that an agent left in its worktree on branches: uncommitted files, and commits that no branch has.
 * No branch of anybody else is moved.
 */
export async function saveWork(request: SaveRequest): Promise<SavedWork> {
	const { git, record, inspection } = request;
	const { status, gitDirectory, mergeHeads } = inspection;
	const keep = [...inspection.keep];
	const nothing = { branch: record.branch, moreBranches: [], snapshot: false };

	let tip = status.head;
	const isDirty = countUncommitted(status) > 0;
	if (isDirty) {
		const identity = await request.identity();
		const snapshot = await writeSnapshot({
			git,
			checkout: record.directory,
			gitDirectory,
			indexFile: temporaryIndex(record.directory),
			exclude: status.embedded,
			parents: [...(status.head === undefined ? [] : [status.head]), ...mergeHeads],
			message: request.message,
			identity,
		});
		if (!snapshot.ok) {
			keep.push(`its files could not be committed: ${snapshot.problem}`);
			return { ...nothing, keep, rescue: commitCommands(record, identity, request.message) };
		}
		if (snapshot.incomplete !== undefined) {
			keep.push(`some files could not be committed: ${snapshot.incomplete}`);
		}
		tip = snapshot.commit;
	}
	const committed = tip !== status.head;
	if (tip === undefined) return { ...nothing, keep, rescue: [] };

	const placed = await placeTip(request, tip, committed);
	if (placed.problem !== undefined) {
		keep.push(`its branch could not be moved to the commit ${tip}: ${placed.problem}`);
		return { ...nothing, tip, keep, rescue: [branchCommand(record, "saved", tip)] };
	}
	const left = await saveLeftCommits(request, [
		placed.tip,
		tip,
		record.base,
		...(status.head === undefined ? [] : [status.head]),
	]);
	return {
		tip: placed.tip,
		branch: placed.branch,
		moreBranches: left.branches,
		snapshot: isDirty,
		keep: [...keep, ...left.keep],
		rescue: left.rescue,
	};
}

/** Commands that commit the files of a worktree in the same way as we would have done. */
export function commitCommands(
	record: WorktreeRecord,
	identity: Identity,
	message: string,
): readonly string[] {
	const directory = shellWord(record.directory);
	const fallback = Object.values(identity).length > 0;
	const settings = [
		"core.hooksPath=/dev/null",
		"commit.gpgSign=false",
		...(fallback ? ["user.name=pi-subagents", "user.email=pi-subagents@localhost"] : []),
	];
	const options = settings.map((setting) => `-c ${setting}`).join(" ");
	const subject = message.split("\n", 1)[0] ?? "";
	return [
		`git -C ${directory} add --all`,
		// The agent may have committed everything itself.
		`git -C ${directory} diff --cached --quiet || git -C ${directory} ${options} commit -m ${shellWord(subject)}`,
	];
}

function branchCommand(record: WorktreeRecord, suffix: string, commit: string): string {
	return `git -C ${shellWord(record.commonDirectory)} branch ${record.branch}-${suffix} ${commit}`;
}

/** Makes sure that a branch has the tip: the worktree's own if it only has to move on, else a new one. */
async function placeTip(
	request: SaveRequest,
	tip: string,
	committed: boolean,
): Promise<{ readonly branch: string; readonly tip: string; readonly problem?: string }> {
	const { git, record, refs, inspection } = request;
	const { branch, commonDirectory } = record;
	const current = refs.get(`refs/heads/${branch}`)?.commit;
	if (current === tip) return { branch, tip };
	if (
		current !== undefined &&
		!committed &&
		(await isAncestor(git, commonDirectory, tip, current))
	) {
		// HEAD was moved back; the branch has everything.
		return { branch, tip: current };
	}
	const follows =
		current === undefined ||
		(committed && inspection.status.head === current) ||
		(await isAncestor(git, commonDirectory, current, tip));
	if (follows) {
		const moved = await moveBranch(git, commonDirectory, { branch, to: tip, from: current });
		if (moved.ok) return { branch, tip };
	}
	const other = await makeBranch(request, branch, tip);
	return { branch: other.branch, tip, ...(!other.ok && { problem: explain(other.result) }) };
}

async function makeBranch(
	request: SaveRequest,
	name: string,
	commit: string,
): Promise<{ readonly ok: boolean; readonly branch: string; readonly result: GitResult }> {
	const { git, record } = request;
	const { commonDirectory } = record;
	const { refs } = await readRefs(git, commonDirectory, [`refs/heads/${name}*`]);
	const branch = nextFree(name, (taken) => {
		const full = `refs/heads/${taken}`;
		// Its own name is never free, even if the agent has deleted that branch.
		return taken === record.branch || refs.has(full) || request.refs.has(full);
	});
	const result = await moveBranch(git, commonDirectory, { branch, to: commit });
	return { ok: result.ok, branch, result };
}

async function saveLeftCommits(
	request: SaveRequest,
	kept: readonly string[],
): Promise<{
	readonly branches: readonly string[];
	readonly keep: readonly string[];
	readonly rescue: readonly string[];
}> {
	const { git, record, inspection } = request;
	const left = await findLeftCommits(git, record.commonDirectory, inspection.gitDirectory, kept);
	if (!left.ok) {
		return { branches: [], keep: [`its history could not be read: ${left.problem}`], rescue: [] };
	}
	const branches: string[] = [];
	const keep: string[] = [];
	const rescue: string[] = [];
	for (const tip of left.tips) {
		const made = await makeBranch(request, `${record.branch}-left`, tip);
		if (made.ok) branches.push(made.branch);
		else {
			keep.push(`no branch could be made for the commit ${tip}: ${explain(made.result)}`);
			rescue.push(branchCommand(record, `left-${tip.slice(0, 10)}`, tip));
		}
	}
	return { branches, keep, rescue };
}

/** No answer counts as no, which leads to one more branch, never to a lost commit. */
async function isAncestor(
	git: Git,
	cwd: string,
	ancestor: string,
	commit: string,
): Promise<boolean> {
	return (await git(["merge-base", "--is-ancestor", ancestor, commit], { cwd })).ok;
}
