import type { WorktreeCall } from "./diff-worktree.js";
import { defaultWorktreeDirectory, findFolder } from "./directory.js";
import { explain, explainError } from "./explain.js";
import { exists } from "./files.js";
import { createGit, type Git } from "./git.js";
import { isKeptElsewhere } from "./kept-elsewhere.js";
import { isAlive, type ReadProcess, readProcess } from "./process-identity.js";
import {
	readRecord,
	readRecords,
	recordFile,
	removeRecord,
	type WorktreeRecord,
} from "./record-file.js";
import { isAgentBranch, type Reference, readRefs } from "./refs.js";
import { findRepository } from "./repository.js";
import { countUncommitted, readStatus } from "./status.js";

/** What is listed. */
export interface WorktreeQuery extends WorktreeCall {
	/** A directory in any checkout of the repository. */
	readonly repo: string;
	/**
	 * Where the worktrees live. Worktrees that git knows of are found elsewhere, too.
	 * @defaultValue {@link defaultWorktreeDirectory}
	 */
	readonly directory?: string;
	/** @defaultValue asks the system */
	readonly readProcess?: ReadProcess;
}

/**
 * - `running`: the process of its agent is alive.
 * - `leftover`: that process has ended without ending the worktree, for example by a crash.
 * - `kept`: the agent has ended, and the directory had to stay.
 * - `saved`: the agent has ended, and its work is on the branch; there is no directory.
 */
export type WorktreeState = "running" | "leftover" | "kept" | "saved";

/** One worktree of an agent. */
export interface ListedWorktree {
	readonly worktree: WorktreeRecord;
	readonly state: WorktreeState;
	/** Whether its directory is there. */
	readonly hasDirectory: boolean;
	/** Commits of the agent on the branch; absent if git cannot tell. */
	readonly commits?: number;
	/** Files in the directory that are not committed; absent if there is no directory, or git cannot tell. */
	readonly uncommitted?: number;
	/** Whether the work that is on the branch is on another one, too, or still in the checkout that it was brought into. */
	readonly merged: boolean;
}

/**
 * A branch that an agent worked on, of which nothing else is known: it was made with another `directory`, or its record is
 * gone. Where it began is not known either, so only git can look at it.
 */
export interface UnrecordedBranch {
	readonly branch: string;
	readonly commit: string;
	/** The worktree that has it checked out, if any. */
	readonly directory?: string;
}

/** The worktrees of a repository's agents, oldest first, and what stood in the way of listing them. */
export interface WorktreeList {
	readonly worktrees: readonly ListedWorktree[];
	/** What looks like the work of agents and has no record here. */
	readonly unrecorded: readonly UnrecordedBranch[];
	/** One sentence each. */
	readonly problems: readonly string[];
}

/** Lists the worktrees of agents; the user's own are not among them. Never rejects. */
export async function listWorktrees(query: WorktreeQuery): Promise<WorktreeList> {
	const git = query.git ?? createGit();
	const { signal } = query;
	try {
		const repository = await findRepository(git, query.repo, signal);
		const cwd = repository.commonDirectory;
		const folder = await findFolder(query.directory ?? defaultWorktreeDirectory(), repository);
		const [inFolder, elsewhere, { refs, result }] = await Promise.all([
			readRecords(folder),
			findElsewhere(git, cwd, signal),
			readRefs(git, cwd, ["refs/heads"], signal),
		]);
		const records = new Map(
			[...inFolder, ...elsewhere.records]
				.filter((record) => record.commonDirectory === cwd)
				.map((record) => [record.directory, record]),
		);
		const problems = [
			...elsewhere.problems,
			...(result.ok ? [] : [`The branches cannot be read: ${explain(result)}.`]),
		];
		const worktrees: ListedWorktree[] = [];
		for (const record of records.values()) {
			const listed = await look(git, record, result.ok ? refs : undefined, query);
			if (listed) worktrees.push(listed);
		}
		const recorded = new Set([...records.values()].map(({ branch }) => branch));
		return { worktrees, unrecorded: findUnrecorded(refs, recorded), problems };
	} catch (error) {
		return { worktrees: [], unrecorded: [], problems: [explainError(error)] };
	}
}

/** The worktrees that a crash left; to be offered, never removed without being asked. Never rejects. */
export async function findLeftovers(query: WorktreeQuery): Promise<WorktreeList> {
	const { worktrees, ...rest } = await listWorktrees(query);
	return { worktrees: worktrees.filter(({ state }) => state === "leftover"), ...rest };
}

function findUnrecorded(
	refs: ReadonlyMap<string, Reference>,
	recorded: ReadonlySet<string>,
): readonly UnrecordedBranch[] {
	return [...refs].flatMap(([name, { commit, worktree }]) => {
		const branch = name.slice("refs/heads/".length);
		if (recorded.has(branch) || !isAgentBranch(branch, refs)) return [];
		return [{ branch, commit, ...(worktree !== undefined && { directory: worktree }) }];
	});
}

/** Worktrees with a record beside them, wherever they are. */
async function findElsewhere(
	git: Git,
	cwd: string,
	signal: AbortSignal | undefined,
): Promise<{ readonly records: readonly WorktreeRecord[]; readonly problems: readonly string[] }> {
	const result = await git(["worktree", "list", "--porcelain"], { cwd, signal });
	if (!result.ok) {
		return { records: [], problems: [`git cannot list its worktrees: ${explain(result)}.`] };
	}
	const directories = result.stdout
		.split("\n")
		.filter((line) => line.startsWith("worktree "))
		.map((line) => line.slice(9));
	const records = await Promise.all(
		directories.map((directory) => readRecord(recordFile({ directory }))),
	);
	return { records: records.filter((record) => record !== undefined), problems: [] };
}

/** `undefined` if nothing is left of it. */
async function look(
	git: Git,
	worktree: WorktreeRecord,
	refs: ReadonlyMap<string, Reference> | undefined,
	query: WorktreeQuery,
): Promise<ListedWorktree | undefined> {
	const { directory, owner, branch, base, commonDirectory, stage } = worktree;
	const { signal } = query;
	const hasDirectory = await exists(directory);
	const tip = refs?.get(`refs/heads/${branch}`)?.commit;
	const running = owner !== undefined && (await isAlive(owner, query.readProcess ?? readProcess));
	if (!running && !hasDirectory && refs !== undefined && tip === undefined) {
		// The user has merged or deleted the branch, or nothing was begun: there is no work to remember.
		await removeRecord(worktree).catch(() => {});
		return undefined;
	}
	const counted =
		base === "" || tip === undefined
			? undefined
			: await git(["rev-list", "--count", `${base}..${tip}`], { cwd: commonDirectory, signal });
	const { status } =
		hasDirectory && stage !== "preparing"
			? await readStatus(git, directory, { signal, env: ceiling(directory) })
			: {};
	const saved = stage === "ended" && !hasDirectory;
	const merged =
		tip !== undefined && tip !== base && (await isKeptElsewhere(git, worktree, tip)).kept;
	return {
		worktree,
		state: running ? "running" : saved ? "saved" : owner === undefined ? "kept" : "leftover",
		hasDirectory,
		...(counted?.ok && { commits: Number(counted.stdout) }),
		...(status && { uncommitted: countUncommitted(status) }),
		merged,
	};
}

/** Keeps git from taking a repository above for the worktree, should its own data be gone. */
function ceiling(directory: string): Readonly<Record<string, string>> {
	return { GIT_CEILING_DIRECTORIES: directory.replace(/[/\\][^/\\]+$/, "") };
}
