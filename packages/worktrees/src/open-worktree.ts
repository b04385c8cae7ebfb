import { rename } from "node:fs/promises";
import { join } from "node:path";
import { chooseBase, type WorktreeBase } from "./base.js";
import { discardUnused } from "./discard-unused.js";
import { explain, explainError, WorktreeError } from "./explain.js";
import { exists } from "./files.js";
import { furnish } from "./furnish.js";
import type { Git } from "./git.js";
import type { Identity } from "./identity.js";
import type { Limiter } from "./limiter.js";
import type { ProcessOwner } from "./process-identity.js";
import { temporaryIndex, type WorktreeRecord, writeRecord } from "./record-file.js";
import { branchPatterns, freeBranch, nextFree, type Reference } from "./refs.js";
import type { Repository } from "./repository.js";
import type { IgnoredFiles } from "./share-ignored.js";
import { type CheckoutStatus, readStatus } from "./status.js";

/** What a worktree is opened with. */
export interface OpenRequest {
	readonly git: Git;
	readonly limiter: Limiter;
	readonly repository: Repository;
	/** The status of the checkout that the agent was started from. */
	readonly status: CheckoutStatus;
	readonly refs: ReadonlyMap<string, Reference>;
	readonly name: string;
	readonly directory: string;
	readonly agent: Pick<WorktreeRecord, "agentId" | "type" | "description">;
	readonly base: WorktreeBase;
	readonly ignoredFiles: IgnoredFiles;
	readonly identity: () => Promise<Identity>;
	readonly owner: ProcessOwner;
	readonly now: number;
	readonly signal: AbortSignal;
}

/** A worktree that an agent can work in. */
export interface OpenedWorktree {
	readonly record: WorktreeRecord;
	/** What it began with, for the agent; one sentence each. */
	readonly notes: readonly string[];
	/** What is not as one would expect, for the agent and its caller; one sentence each. */
	readonly caveats: readonly string[];
}

/** The references that have to be read before a worktree is opened. */
export function refsToRead(name: string): readonly string[] {
	return [...branchPatterns(name), "refs/stash"];
}

/**
 * Makes a worktree on a branch of its own.
 *
 * @throws WorktreeError if that is not possible; what was begun is removed again, or its place is named
 */
export async function makeWorktree(request: OpenRequest): Promise<OpenedWorktree> {
	const { git, repository, name, directory, signal } = request;
	const begun: WorktreeRecord = {
		version: 1,
		...request.agent,
		name,
		directory,
		branch: freeBranch(name, request.refs),
		base: "",
		baseName: "",
		carried: false,
		checkout: repository.checkout,
		commonDirectory: repository.commonDirectory,
		shared: [],
		stage: "preparing",
		owner: request.owner,
		createdAt: request.now,
	};
	let record = begun;
	const moved: string[] = [];
	try {
		if (await exists(directory)) moved.push(await moveAway(directory));
		await writeRecord(record);
		const base = await chooseBase({
			...request,
			indexFile: temporaryIndex(directory),
		});
		const { commit, baseName, carried } = base;
		record = { ...begun, base: commit, baseName, carried };
		// What it begins with must be known before there is anything to compare with it.
		await writeRecord(record);
		await addWorktree(request, ["-b", record.branch, directory, commit]);
		const opened = await furnish(record, request);
		return {
			...opened,
			notes: [base.begins],
			caveats: [...moved, ...base.caveats, ...opened.caveats],
		};
	} catch (error) {
		const left = await discardUnused(git, record);
		const reason = signal.aborted ? `The worktree for ${name} was not made: it was stopped.` : "";
		throw new WorktreeError([reason || messageOf(error), ...left].join(" "), { cause: error });
	}
}

/**
 * Gives an agent its worktree back: the directory if it is still there, else a new one on its branch. `undefined` if
 * neither is there any more.
 *
 * @throws WorktreeError if that is not possible; nothing that the agent made is touched
 */
export async function reopenWorktree(
	request: OpenRequest,
	earlier: WorktreeRecord,
): Promise<OpenedWorktree | undefined> {
	const { git, repository, signal, owner } = request;
	const { directory, branch } = earlier;
	const taken: WorktreeRecord = { ...earlier, stage: "used", owner };
	if (await exists(join(directory, ".git"))) {
		const { result } = await readStatus(git, directory, { signal });
		if (!result.ok) {
			throw new WorktreeError(
				`The worktree of this agent at ${directory} cannot be used: ${explain(result)}. Nothing in it was touched.`,
			);
		}
		await writeRecord(taken);
		return {
			record: taken,
			notes: [`It is the worktree of the earlier run, on branch ${branch}.`],
			caveats: [],
		};
	}
	const reference = request.refs.get(`refs/heads/${branch}`);
	if (!reference) return undefined;

	const caveats: string[] = [];
	if (await exists(directory)) caveats.push(await moveAway(directory));
	const call = { cwd: repository.checkout, signal };
	if (reference.worktree === directory) {
		// Its directory was deleted by hand; git would refuse to make it again.
		const removed = await git(["worktree", "remove", "--force", directory], call);
		if (!removed.ok) throw cannotAdd(directory, explain(removed));
	}
	let record = taken;
	if (reference.worktree !== undefined && reference.worktree !== directory) {
		const own = nextFree(branch, (name) => request.refs.has(`refs/heads/${name}`));
		caveats.push(`It goes on from ${branch}, which is checked out at ${reference.worktree}.`);
		record = { ...taken, branch: own };
		await addWorktree(request, ["-b", own, directory, reference.commit]);
	} else {
		await addWorktree(request, [directory, branch]);
	}
	const opened = await furnish(record, request);
	const notes = [`It has the earlier work of this agent, from branch ${branch}.`];
	return { ...opened, notes, caveats: [...caveats, ...opened.caveats] };
}

async function addWorktree(request: OpenRequest, args: readonly string[]): Promise<void> {
	const { git, limiter, repository, directory, signal } = request;
	const added = await limiter(repository.commonDirectory, () =>
		git(["worktree", "add", "--quiet", ...args], {
			cwd: repository.checkout,
			signal,
			slow: true,
		}),
	);
	if (!added.ok) throw cannotAdd(directory, explain(added));
}

function cannotAdd(directory: string, reason: string): WorktreeError {
	return new WorktreeError(`git cannot make a worktree at ${directory}: ${reason}.`);
}

/** Out of the way, never deleted. */
async function moveAway(directory: string): Promise<string> {
	for (let number = 1; ; number++) {
		const place = `${directory}.old-${number}`;
		if (await exists(place)) continue;
		await rename(directory, place);
		return `What was left at ${directory} without git's data was moved to ${place}.`;
	}
}

function messageOf(error: unknown): string {
	if (error instanceof WorktreeError) return error.message;
	return `The worktree could not be made: ${explainError(error)}.`;
}
