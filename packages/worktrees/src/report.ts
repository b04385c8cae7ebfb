import type { WorkspaceReport } from "@pi-subagents/core";
import { type Changes, describeDifference } from "./changes.js";
import { count, listSome, shellWord } from "./names.js";
import type { WorktreeRecord } from "./record-file.js";

/** What became of a worktree; plain JSON. */
export interface WorktreeReport extends WorkspaceReport {
	/** The agent's own changes; absent if there are none, or if git could not count them. */
	readonly changes?: Changes;
	/** Shell commands that show the changes, merge them, or save what could not be saved; also in the text. */
	readonly commands: readonly string[];
	/** Files that git ignores and that were deleted with the directory. */
	readonly droppedIgnored: readonly string[];
}

/** What is known when an agent has ended. */
export interface Ending {
	readonly record: WorktreeRecord;
	/** Whether the directory is still there. */
	readonly directoryStays: boolean;
	/** The branch with the work, if there is any. */
	readonly branch?: string;
	readonly moreBranches: readonly string[];
	/** The branch that was checked out at the end, if it was another one. */
	readonly checkedOut?: string;
	/** Whether everything is on a branch. */
	readonly saved: boolean;
	readonly changes?: Changes;
	/** Why the directory stays: clauses. */
	readonly keep: readonly string[];
	readonly rescue: readonly string[];
	readonly problems: readonly string[];
	/** Neutral facts, one sentence each. */
	readonly facts: readonly string[];
	readonly ignored: readonly string[];
}

/** Writes the report; every directory and branch that it names is there at this time. */
export function writeReport(ending: Ending): WorktreeReport {
	const { record, branch, changes, keep, rescue, directoryStays } = ending;
	const dropped = directoryStays ? [] : ending.ignored;
	const changed = branch !== undefined || ending.moreBranches.length > 0 || directoryStays;
	const look = branch === undefined || !ending.saved ? [] : lookCommands(record, branch);
	const problems = [...keep.map((reason) => keptSentence(record, reason)), ...ending.problems];
	const lines = [
		headline(ending),
		...(changes && changes.files.length > 0 ? [`Files: ${listSome(changes.files, 20)}.`] : []),
		...ending.moreBranches.map((name) => `Commits that it had left are on branch ${name}.`),
		...(ending.checkedOut === undefined
			? []
			: [`At the end it had branch ${ending.checkedOut} checked out.`]),
		...problems,
		...(dropped.length > 0
			? [`Deleted with it, because git ignores them: ${listSome(dropped, 20)}.`]
			: []),
		...ending.facts,
		...(rescue.length > 0 ? ["To save it:", ...rescue.map(indent)] : []),
		...(look.length > 0 ? ["To see it, and to merge it:", ...look.map(indent)] : []),
	];
	return {
		text: lines.join("\n"),
		...(directoryStays && { directory: record.directory }),
		...(branch !== undefined && { branch }),
		...(record.base !== "" && { base: record.base }),
		changed,
		problems,
		...(changes && { changes }),
		commands: [...rescue, ...look],
		droppedIgnored: dropped,
	};
}

function headline({ record, branch, saved, changes, directoryStays }: Ending): string {
	const name = `The worktree of ${record.name}`;
	if (!saved) {
		return `${name} was not saved as a whole. Nothing was deleted: it stays at ${record.directory}.`;
	}
	if (branch === undefined) {
		return directoryStays
			? `${name} has no changes that git can take; it stays at ${record.directory}.`
			: "The agent changed no files; its worktree was removed.";
	}
	const counted = changes
		? `: ${count(changes.commits, "commit")}, ${describeDifference(changes)}`
		: "";
	const place = directoryStays ? ` The worktree stays at ${record.directory}.` : "";
	return `The work is on branch ${branch}, from ${record.baseName}${counted}.${place}`;
}

function keptSentence(record: WorktreeRecord, reason: string): string {
	return `The worktree at ${record.directory} was kept, because ${reason}.`;
}

/** How people look at the changes on a branch and bring them into the checkout. */
function lookCommands(record: WorktreeRecord, branch: string): readonly string[] {
	const git = `git -C ${shellWord(record.checkout)}`;
	const range = `${record.base} ${shellWord(branch)}`;
	return [
		`${git} diff ${range}`,
		// The base holds uncommitted files, which a merge would bring, too; the difference leaves them alone.
		record.carried
			? `${git} diff-tree -p --binary ${range} | ${git} apply`
			: `${git} merge ${shellWord(branch)}`,
	];
}

function indent(command: string): string {
	return `    ${command}`;
}
