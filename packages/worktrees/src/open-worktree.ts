import { readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { chooseBase, type WorktreeBase } from "./base.js";
import { explain, explainError, WorktreeError } from "./explain.js";
import { exists } from "./files.js";
import type { Git } from "./git.js";
import type { Identity } from "./identity.js";
import type { Limiter } from "./limiter.js";
import { listSome } from "./names.js";
import type { ProcessOwner } from "./process-identity.js";
import { removeRecord, temporaryIndex, type WorktreeRecord, writeRecord } from "./record-file.js";
import { branchPatterns, freeBranch, nextFree, type Reference, readRefs } from "./refs.js";
import type { Repository } from "./repository.js";
import { type IgnoredFiles, shareIgnored } from "./share-ignored.js";
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
		const opened = await furnish(request, record);
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
	const opened = await furnish(request, record);
	const notes = [`It has the earlier work of this agent, from branch ${branch}.`];
	return { ...opened, notes, caveats: [...caveats, ...opened.caveats] };
}

/** Removes a worktree that no agent has worked in. What could not be removed is said, one sentence each. */
export async function discardUnused(git: Git, record: WorktreeRecord): Promise<readonly string[]> {
	const { directory, branch, base, commonDirectory } = record;
	const call = { cwd: commonDirectory };
	const problems: string[] = [];
	// Without a base, nothing but the record was begun.
	if (base !== "") {
		// Forced twice, because git locks a worktree until it is finished.
		const remove = ["worktree", "remove", "--force", "--force", directory];
		const removed = await git(remove, call);
		if (!removed.ok) {
			// A directory that git does not know of, or not any more, is ours all the same; then git can forget it.
			await rm(directory, { recursive: true, force: true }).catch((error: unknown) => {
				problems.push(`${directory} could not be removed: ${explainError(error)}.`);
			});
			const again = await git(remove, call);
			if (!again.ok && !/is not a working tree/.test(again.stderr)) {
				problems.push(`git could not forget the worktree ${directory}: ${explain(again)}.`);
			}
		}
		const { refs } = await readRefs(git, commonDirectory, [`refs/heads/${branch}`]);
		if (refs.get(`refs/heads/${branch}`)?.commit === base) {
			const deleted = await git(["update-ref", "-d", `refs/heads/${branch}`, base], call);
			if (!deleted.ok) {
				problems.push(`The unused branch ${branch} could not be deleted: ${explain(deleted)}.`);
			}
		}
	}
	if (problems.length === 0) await removeRecord(record).catch(() => {});
	return problems;
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

/** Brings in what a new checkout lacks, and says what it still lacks. */
async function furnish(request: OpenRequest, record: WorktreeRecord): Promise<OpenedWorktree> {
	const { git, repository, ignoredFiles, signal } = request;
	const { checkout } = repository;
	const { directory } = record;
	const share = await shareIgnored(git, checkout, directory, ignoredFiles, signal);
	const opened: WorktreeRecord = { ...record, shared: share.shared, stage: "used" };
	const caveats = [
		...share.notes,
		...(await aboutSubmodules(git, directory, signal)),
		...(await aboutLargeFiles(git, directory, signal)),
	];
	if (signal.aborted) throw new WorktreeError("It was stopped.");
	await writeRecord(opened);
	return { record: opened, notes: [], caveats };
}

async function aboutSubmodules(
	git: Git,
	directory: string,
	signal: AbortSignal,
): Promise<readonly string[]> {
	if (!(await exists(join(directory, ".gitmodules")))) return [];
	const listed = await git(
		["config", "--file", ".gitmodules", "--null", "--get-regexp", "\\.path$"],
		{ cwd: directory, signal },
	);
	const paths = listed.stdout.split("\0").flatMap((entry) => entry.split("\n").slice(1));
	if (paths.length === 0) return [];
	return [
		`Submodules are empty here: ${listSome(paths, 5)}; \`git submodule update --init PATH\` fills one.`,
	];
}

async function aboutLargeFiles(
	git: Git,
	directory: string,
	signal: AbortSignal,
): Promise<readonly string[]> {
	const attributes = await readFile(join(directory, ".gitattributes"), "utf8").catch(() => "");
	if (!/\bfilter=lfs\b/.test(attributes)) return [];
	const filter = await git(["config", "--get-regexp", "^filter\\.lfs\\.(process|smudge)$"], {
		cwd: directory,
		signal,
	});
	if (filter.ok) return [];
	return ["Files under Git LFS are pointers here, because git-lfs is not set up on this machine."];
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
