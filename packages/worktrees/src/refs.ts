import type { Git, GitResult } from "./git.js";

/** Where a reference is. */
export interface Reference {
	readonly commit: string;
	/** The worktree that has it checked out, if any. */
	readonly worktree?: string;
}

/** Branches of this package are below this name, or begin with it and a `-` if the repository has a branch of this name. */
const BRANCHES = "pi-subagents";

/** Reads references by full name, or all below one. */
export async function readRefs(
	git: Git,
	cwd: string,
	names: readonly string[],
	signal?: AbortSignal,
): Promise<{ readonly refs: ReadonlyMap<string, Reference>; readonly result: GitResult }> {
	const result = await git(
		["for-each-ref", "--format=%(refname)%09%(objectname)%09%(worktreepath)", ...names],
		{ cwd, signal },
	);
	const refs = new Map<string, Reference>();
	for (const line of result.stdout.split("\n")) {
		const [name, commit, worktree] = line.split("\t");
		if (name && commit) refs.set(name, { commit, ...(worktree && { worktree }) });
	}
	return { refs, result };
}

/** The full names to read before {@link freeBranch} can choose. */
export function branchPatterns(name: string): readonly string[] {
	return [`refs/heads/${BRANCHES}`, `refs/heads/${BRANCHES}-${name}*`];
}

/** A branch name that is not taken. */
export function freeBranch(name: string, refs: ReadonlyMap<string, Reference>): string {
	const prefix = refs.has(`refs/heads/${BRANCHES}`) ? `${BRANCHES}-` : `${BRANCHES}/`;
	return nextFree(`${prefix}${name}`, (branch) => refs.has(`refs/heads/${branch}`));
}

/** Whether a branch is one of this package. */
export function isAgentBranch(branch: string, refs: ReadonlyMap<string, Reference>): boolean {
	const separator = refs.has(`refs/heads/${BRANCHES}`) ? "-" : "/";
	return branch.startsWith(`${BRANCHES}${separator}`);
}

/** `name`, or the first of `name-2`, `name-3` ... that is not taken. */
export function nextFree(name: string, isTaken: (name: string) => boolean): string {
	let free = name;
	for (let number = 2; isTaken(free); number++) free = `${name}-${number}`;
	return free;
}

/**
 * Points a branch to a commit if it still is where it was believed to be; `from` left out means that it must not
 * exist.
 */
export function moveBranch(
	git: Git,
	cwd: string,
	move: { readonly branch: string; readonly to: string; readonly from?: string | undefined },
): Promise<GitResult> {
	const { branch, to, from } = move;
	const old = from ?? "0".repeat(to.length);
	return git(["update-ref", "-m", "pi-subagents: save work", `refs/heads/${branch}`, to, old], {
		cwd,
	});
}
