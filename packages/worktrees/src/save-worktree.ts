import type { WorktreeCall } from "./diff-worktree.js";
import { discardUnused } from "./discard-unused.js";
import { endWorktree } from "./end-worktree.js";
import { createGit } from "./git.js";
import { findIdentity } from "./identity.js";
import { isAlive, type ReadProcess, readProcess } from "./process-identity.js";
import type { WorktreeRecord } from "./record-file.js";
import type { WorktreeReport } from "./report.js";

/** Options of functions that must not disturb a running agent. */
export interface EndWorktreeOptions extends WorktreeCall {
	/** @defaultValue asks the system */
	readonly readProcess?: ReadProcess;
}

/**
 * Ends a worktree that a crash left, or that had to stay, in the same way as at the end of a run: its work is put on
 * the branch and the directory removed; an unchanged one goes with its branch. Never rejects. The worktree of a running
 * agent is left alone.
 */
export async function saveWorktree(
	worktree: WorktreeRecord,
	options: EndWorktreeOptions = {},
): Promise<WorktreeReport> {
	const git = options.git ?? createGit();
	const running = await whyRunning(worktree, options.readProcess ?? readProcess);
	if (running !== undefined) return plain(worktree, running, [running]);
	if (worktree.stage === "preparing") {
		const problems = await discardUnused(git, worktree);
		const text = problems.join(" ") || `${worktree.name} had not been used; it was removed.`;
		return plain(worktree, text, problems);
	}
	return endWorktree({
		git,
		record: worktree,
		description: worktree.description,
		identity: () => findIdentity(git, worktree.commonDirectory),
	});
}

/** A sentence if the agent of a worktree is still running. */
export async function whyRunning(
	{ name, owner }: WorktreeRecord,
	read: ReadProcess,
): Promise<string | undefined> {
	if (owner === undefined || !(await isAlive(owner, read))) return undefined;
	return `The agent of ${name} is still running in the process ${owner.pid}; stop it first.`;
}

function plain(
	worktree: WorktreeRecord,
	text: string,
	problems: readonly string[],
): WorktreeReport {
	const directoryStays = problems.length > 0;
	return {
		text,
		...(directoryStays && { directory: worktree.directory }),
		changed: directoryStays,
		problems,
		commands: [],
		droppedIgnored: [],
	};
}
