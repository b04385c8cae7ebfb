import { rm } from "node:fs/promises";
import { type Changes, readChanges } from "./changes.js";
import { explain, explainError } from "./explain.js";
import { exists } from "./files.js";
import type { Git } from "./git.js";
import type { Identity } from "./identity.js";
import { type Inspection, inspectWorktree } from "./inspect-worktree.js";
import { removeRecord, temporaryFiles, type WorktreeRecord, writeRecord } from "./record-file.js";
import { type Reference, readRefs } from "./refs.js";
import { deleteBranchAtBase, deleteEmptyBranch, removeDirectory } from "./remove-directory.js";
import { type WorktreeReport, writeReport } from "./report.js";
import { commitCommands, type SavedWork, saveWork } from "./save-work.js";
import { countUncommitted } from "./status.js";

/** How a worktree is ended. */
export interface EndRequest {
	readonly git: Git;
	readonly record: WorktreeRecord;
	/** Three to five words, for the commit. */
	readonly description: string;
	readonly identity: () => Promise<Identity>;
	/** Whether the directory stays if it has ignored files of its own. */
	readonly keepIgnored?: boolean;
	/** What happened elsewhere, one sentence each. */
	readonly facts?: readonly string[];
	readonly problems?: readonly string[];
	/** Where the stash was when the agent began: a commit, or empty if there was none. */
	readonly stashBefore?: string | undefined;
}

/**
 * Puts the work of a worktree on its branch and removes the directory; an unchanged one is removed with its branch.
 * Whatever fails: nothing is deleted that is not on a branch, and the report says where it is. Never rejects.
 */
export async function endWorktree(request: EndRequest): Promise<WorktreeReport> {
	try {
		return await end(request);
	} catch (error) {
		await keepRecord(request.record);
		return writeReport({ ...unsaved(request), keep: [explainError(error)] });
	}
}

async function end(request: EndRequest): Promise<WorktreeReport> {
	const { git, record } = request;
	const inspection = await inspectWorktree(git, record);
	const read = await readRefs(git, record.commonDirectory, [
		`refs/heads/${record.branch}`,
		`refs/heads/${record.branch}-*`,
		"refs/stash",
	]);
	const problems = [...(request.problems ?? []), ...aboutStash(request, read.refs)];
	if (inspection.kind === "unreadable" || !read.result.ok) {
		const keep = inspection.kind === "unreadable" ? inspection.problem : explain(read.result);
		const rescue = await rescueAll(request, inspection);
		await keepRecord(record);
		return writeReport({ ...unsaved(request), problems, keep: [keep], rescue });
	}
	const ended =
		inspection.kind === "missing"
			? afterMissing(request, read.refs)
			: await saveWork({
					...request,
					inspection,
					refs: read.refs,
					message: commitMessage(request),
				});
	if (inspection.kind === "missing" && record.stage !== "ended") {
		problems.push(
			`The worktree at ${record.directory} was deleted during the run; what was not committed in it is lost.`,
		);
	}
	return conclude(request, inspection, ended, problems);
}

/** Everything that can be saved is saved; removes what is not needed any more. */
async function conclude(
	request: EndRequest,
	inspection: Exclude<Inspection, { kind: "unreadable" }>,
	ended: SavedWork,
	problems: readonly string[],
): Promise<WorktreeReport> {
	const { git, record } = request;
	const keep = [...ended.keep];
	const rescue = [...ended.rescue];
	const more = [...problems];
	const ignored = inspection.kind === "readable" ? inspection.ignored : [];
	if (request.keepIgnored && ignored.length > 0) keep.push("it has files that git ignores");

	const { tip, branch } = ended;
	const hasWork = tip !== undefined && tip !== record.base;
	let changes: Changes | undefined;
	if (hasWork) {
		const counted = await readChanges(git, record.commonDirectory, record.base, tip);
		changes = counted.changes;
		if (counted.problem !== undefined) {
			more.push(`The changes could not be counted: ${counted.problem}.`);
		}
	}
	let directoryStays = inspection.kind === "readable";
	if (keep.length === 0) {
		// From here on a missing directory is no loss; until it is missing, this process is responsible for it.
		await writeRecord({ ...record, branch, stage: "ended" }).catch(() => {});
		const removed = await removeDirectory(git, record, ended.snapshot);
		if (removed.keep !== undefined) keep.push(removed.keep);
		rescue.push(...removed.rescue);
		directoryStays = await exists(record.directory);
	} else if (ended.snapshot && branch === record.branch) {
		// The branch has moved under the index of the directory; a failure shows in its `git status` only.
		await git(["reset", "--quiet"], { cwd: record.directory });
	}
	const clean = keep.length === 0 && !hasWork && ended.moreBranches.length === 0;
	if (clean && tip !== undefined) more.push(...(await deleteEmptyBranch(git, record)));

	if (branch !== record.branch) await deleteBranchAtBase(git, record);

	await removeTemporaryFiles(record);
	const finished = clean && more.length === problems.length;
	if (finished) await removeRecord(record).catch(() => {});
	else await keepRecord(record, branch);
	const checkedOut = inspection.kind === "readable" ? inspection.status.branch : undefined;
	return writeReport({
		record,
		directoryStays,
		...(hasWork && { branch }),
		moreBranches: ended.moreBranches,
		...(checkedOut !== undefined && checkedOut !== record.branch && { checkedOut }),
		saved: ended.rescue.length === 0,
		...(changes && { changes }),
		keep,
		rescue,
		problems: more,
		facts: request.facts ?? [],
		ignored,
	});
}

function afterMissing({ record }: EndRequest, refs: ReadonlyMap<string, Reference>): SavedWork {
	const tip = refs.get(`refs/heads/${record.branch}`)?.commit;
	return {
		...(tip !== undefined && { tip }),
		branch: record.branch,
		moreBranches: [],
		snapshot: false,
		keep: [],
		rescue: [],
	};
}

async function rescueAll(request: EndRequest, inspection: Inspection): Promise<readonly string[]> {
	if (inspection.kind === "missing") return [];
	if (inspection.kind === "unreadable" && !inspection.hasGitData) return [];
	if (inspection.kind === "readable" && countUncommitted(inspection.status) === 0) return [];
	return commitCommands(request.record, await request.identity(), commitMessage(request));
}

function unsaved(request: EndRequest): Parameters<typeof writeReport>[0] {
	return {
		record: request.record,
		directoryStays: true,
		moreBranches: [],
		saved: false,
		keep: [],
		rescue: [],
		problems: request.problems ?? [],
		facts: request.facts ?? [],
		ignored: [],
	};
}

function aboutStash(
	{ stashBefore }: EndRequest,
	refs: ReadonlyMap<string, Reference>,
): readonly string[] {
	if (stashBefore === undefined) return [];
	if ((refs.get("refs/stash")?.commit ?? "") === stashBefore) return [];
	return ["The stash of the repository changed during the run; `git stash list` shows it."];
}

/** Remembered without an owner, so that it is found. What cannot be written is found all the same when the owner is gone. */
async function keepRecord(record: WorktreeRecord, branch = record.branch): Promise<void> {
	const { owner: _, ...rest } = record;
	await writeRecord({ ...rest, branch, stage: "ended" }).catch(() => {});
}

async function removeTemporaryFiles(record: WorktreeRecord): Promise<void> {
	await Promise.all(
		temporaryFiles(record.directory).map((file) => rm(file, { force: true })),
	).catch(() => {});
}

/** One line and where it comes from; without what git refuses in a message. */
function commitMessage({ record, description }: EndRequest): string {
	// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
	const line = (description || record.description).replace(/[\u0000-\u001f\u007f\s]+/g, " ").trim();
	const subject = [...line].slice(0, 72).join("") || `Work of ${record.name}`;
	return `${subject}\n\nMade by the agent ${record.name}.\n`;
}
