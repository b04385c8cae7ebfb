import { explain, WorktreeError } from "./explain.js";
import type { Git } from "./git.js";
import type { Identity } from "./identity.js";
import { count, listSome, shortCommit } from "./names.js";
import type { Repository } from "./repository.js";
import { writeSnapshot } from "./snapshot.js";
import { type CheckoutStatus, countUncommitted } from "./status.js";

/**
 * What a worktree begins with: `working-state` (the checkout as it is, with its uncommitted and untracked files),
 * `HEAD` (its last commit), or the name of a branch.
 */
export type WorktreeBase = "working-state" | "HEAD" | (string & {});

/** The commit that a worktree begins with. */
export interface ChosenBase {
	readonly commit: string;
	readonly baseName: string;
	readonly carried: boolean;
	/** What the agent has to know about it, one sentence. */
	readonly begins: string;
	/** What is missing from it, one sentence each. */
	readonly caveats: readonly string[];
}

/** What {@link chooseBase} needs. */
export interface BaseRequest {
	readonly git: Git;
	readonly repository: Repository;
	readonly status: CheckoutStatus;
	readonly base: WorktreeBase;
	/** The worktree's name. */
	readonly name: string;
	readonly indexFile: string;
	readonly identity: () => Promise<Identity>;
	readonly signal: AbortSignal;
}

/**
 * Finds or makes the commit.
 *
 * @throws WorktreeError if there is none
 */
export async function chooseBase(request: BaseRequest): Promise<ChosenBase> {
	const { git, repository, status, base, signal } = request;
	const { checkout } = repository;
	if (status.head === undefined) {
		throw new WorktreeError(
			`The git repository at ${checkout} has no commit yet, so nothing can begin from it; make a first commit.`,
		);
	}
	const uncommitted = countUncommitted(status);
	const place = `${status.branch ?? "a detached HEAD"} at ${shortCommit(status.head)}`;
	if (base === "working-state" && uncommitted > 0) return carry(request, status.head, place);
	if (base === "working-state" || base === "HEAD") {
		return {
			commit: status.head,
			baseName: place,
			carried: false,
			begins: `It began from ${place}.`,
			caveats: notIncluded(uncommitted),
		};
	}
	const found = await git(
		["rev-parse", "--verify", "--quiet", "--end-of-options", `${base}^{commit}`],
		{ cwd: checkout, signal },
	);
	if (found.code === 1) {
		throw new WorktreeError(`There is no branch ${base} in the repository at ${checkout}.`);
	}
	if (!found.ok) throw new WorktreeError(`Cannot read the branch ${base}: ${explain(found)}.`);
	const commit = found.stdout.trim();
	const baseName = `${base} at ${shortCommit(commit)}`;
	return {
		commit,
		baseName,
		carried: false,
		begins: `It began from ${baseName}.`,
		caveats: notIncluded(uncommitted),
	};
}

async function carry(request: BaseRequest, head: string, place: string): Promise<ChosenBase> {
	const { git, repository, status, signal } = request;
	const snapshot = await writeSnapshot({
		git,
		checkout: repository.checkout,
		gitDirectory: repository.gitDirectory,
		indexFile: request.indexFile,
		exclude: status.embedded,
		parents: [head],
		message: `Working state for ${request.name}\n\nThe uncommitted files of the checkout that the agent was started from.\n`,
		identity: await request.identity(),
		signal,
	});
	if (!snapshot.ok) {
		throw new WorktreeError(
			`Cannot carry over the uncommitted files of ${repository.checkout}: ${snapshot.problem}. With the base "HEAD" the agent begins without them.`,
		);
	}
	const carried = snapshot.commit !== head;
	const files = count(countUncommitted(status), "uncommitted file");
	const begins = carried
		? `It began from the working state of ${place}: ${files} carried over as the commit ${shortCommit(snapshot.commit)}.`
		: `It began from ${place}.`;
	const caveats: string[] = [];
	if (status.conflicts.length > 0) {
		caveats.push(
			`Files with merge conflicts were carried over as they are: ${listSome(status.conflicts, 5)}.`,
		);
	}
	if (status.embedded.length > 0) {
		caveats.push(
			`Repositories inside the checkout were not carried over: ${listSome(status.embedded, 5)}.`,
		);
	}
	if (status.dirtySubmodules.length > 0) {
		caveats.push(
			`Uncommitted changes inside submodules were not carried over: ${listSome(status.dirtySubmodules, 5)}.`,
		);
	}
	if (snapshot.incomplete !== undefined) {
		caveats.push(`Some uncommitted files were not carried over: ${snapshot.incomplete}.`);
	}
	return {
		commit: snapshot.commit,
		baseName: carried ? `the working state of ${place}` : place,
		carried,
		begins,
		caveats,
	};
}

function notIncluded(uncommitted: number): readonly string[] {
	if (uncommitted === 0) return [];
	const are = uncommitted === 1 ? "is" : "are";
	return [`${count(uncommitted, "uncommitted file")} of the checkout ${are} not included.`];
}
