import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Workspace, WorkspaceEnd } from "@pi-subagents/core";
import {
	type CheckoutState,
	compareCheckout,
	describeCheckoutChange,
	readCheckout,
} from "./checkout-watch.js";
import { endWorktree } from "./end-worktree.js";
import { explainError, WorktreeError } from "./explain.js";
import type { Git } from "./git.js";
import type { Identity } from "./identity.js";
import type { OpenedWorktree } from "./open-worktree.js";
import type { WorktreeRecord } from "./record-file.js";
import type { WorktreeReport } from "./report.js";

/** A worktree that a run works in. */
export interface WorktreeWorkspace extends Workspace {
	readonly worktree: WorktreeRecord;
	finish(end: WorkspaceEnd): Promise<WorktreeReport>;
}

/** What {@link enterWorktree} needs. */
export interface EnterRequest {
	readonly git: Git;
	readonly opened: OpenedWorktree;
	/** The main checkout before the run. */
	readonly before: CheckoutState;
	/** The directory inside the worktree to work in, with a `/` at the end; empty for its root. */
	readonly prefix: string;
	readonly description: string;
	/** Where the stash is: a commit, or empty if there is none. */
	readonly stashBefore: string;
	readonly identity: () => Promise<Identity>;
	readonly keepIgnored: boolean;
	readonly onFinished: () => void;
}

/**
 * Makes the workspace of an opened worktree.
 *
 * @throws WorktreeError if its directory cannot be entered
 */
export async function enterWorktree(request: EnterRequest): Promise<WorktreeWorkspace> {
	const { git, before, identity, stashBefore, keepIgnored } = request;
	const { record, notes, caveats } = request.opened;
	const ending = { git, record, identity, stashBefore, keepIgnored };
	const cwd = join(record.directory, request.prefix.replace(/\/$/, ""));
	try {
		// git has no empty directories, and the base may be older than this one.
		await mkdir(cwd, { recursive: true });
	} catch (error) {
		const { text } = await endWorktree({ ...ending, description: request.description });
		throw new WorktreeError(`${cwd} cannot be made: ${explainError(error)}. ${text}`, {
			cause: error,
		});
	}
	let finished: Promise<WorktreeReport> | undefined;
	return {
		cwd,
		root: record.directory,
		worktree: record,
		notes: [
			`You work in a git worktree of your own at ${record.directory}, on branch ${record.branch}.`,
			"If the task names files elsewhere in the repository by absolute paths, use the same files in your worktree.",
			...notes,
			...caveats,
			"What you change is committed to that branch when you are done.",
		],
		finish(end) {
			finished ??= finish(end).finally(request.onFinished);
			return finished;
		},
	};

	async function finish({ description }: WorkspaceEnd): Promise<WorktreeReport> {
		const after = await readCheckout(git, before.checkout);
		const seen = after.state
			? describeCheckoutChange(before.checkout, await compareCheckout(before, after.state))
			: {
					problems: [`The main checkout could not be compared with before: ${after.problem}.`],
					facts: [],
				};
		return endWorktree({
			...ending,
			description,
			problems: seen.problems,
			facts: [...caveats, ...seen.facts],
		});
	}
}
