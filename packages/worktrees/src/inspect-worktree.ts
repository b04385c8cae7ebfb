import { readdir, readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { explain } from "./explain.js";
import { exists, isMissing, listFiles } from "./files.js";
import type { Git } from "./git.js";
import { listSome } from "./names.js";
import type { WorktreeRecord } from "./record-file.js";
import { isShared } from "./share-ignored.js";
import { type CheckoutStatus, readStatus } from "./status.js";

/** What a worktree's directory is like when its agent has ended. */
export type Inspection =
	| { readonly kind: "missing" }
	| {
			readonly kind: "unreadable";
			readonly problem: string;
			/** Whether git commands in it are about this worktree, and not about a repository above it. */
			readonly hasGitData: boolean;
	  }
	| {
			readonly kind: "readable";
			readonly status: CheckoutStatus;
			/** Where git keeps what belongs to this worktree. */
			readonly gitDirectory: string;
			/** Commits that are being merged. */
			readonly mergeHeads: readonly string[];
			/** Ignored files that were made here; directories with many files end with `/`. */
			readonly ignored: readonly string[];
			/** Why the directory must stay even if its files are committed: clauses. */
			readonly keep: readonly string[];
	  };

/** Files of an ignored directory that are named one by one. */
const FILES_NAMED = 20;

/** Looks at a worktree without changing anything. */
export async function inspectWorktree(git: Git, record: WorktreeRecord): Promise<Inspection> {
	const { directory, shared } = record;
	if (!(await exists(directory))) return { kind: "missing" };
	const gitDirectory = await readGitDirectory(directory);
	// Without it git would take the next repository above for this one.
	if (gitDirectory === undefined) {
		return {
			kind: "unreadable",
			problem: "its .git file is missing or damaged",
			hasGitData: false,
		};
	}
	const { status, result } = await readStatus(git, directory, { ignored: true });
	if (!status) return { kind: "unreadable", problem: explain(result), hasGitData: true };

	const keep: string[] = [];
	if (status.embedded.length > 0) {
		keep.push(`git cannot take the repositories inside it (${listSome(status.embedded, 5)})`);
	}
	if (status.dirtySubmodules.length > 0) {
		keep.push(
			`submodules have changes that are not committed (${listSome(status.dirtySubmodules, 5)})`,
		);
	} else if (await hasEntries(join(gitDirectory, "modules"))) {
		keep.push("it holds the repositories of its submodules");
	}
	for (const [file, what] of UNFINISHED) {
		if (await exists(join(gitDirectory, file))) keep.push(`a ${what} is going on in it`);
	}
	const ignored: string[] = [];
	for (const path of status.ignored) {
		if (await isAsBrought(path, record)) continue;
		if (!path.endsWith("/")) ignored.push(path);
		else {
			const { files, more } = await listFiles(directory, path, FILES_NAMED);
			const own = files.filter((file) => !isShared(file, shared));
			ignored.push(...(more ? [path] : own));
		}
	}
	const mergeHeads = await readFile(join(gitDirectory, "MERGE_HEAD"), "utf8").catch(() => "");
	return {
		kind: "readable",
		status,
		gitDirectory,
		mergeHeads: mergeHeads.split("\n").filter((line) => line !== ""),
		ignored,
		keep,
	};
}

const UNFINISHED = [
	["rebase-merge", "rebase"],
	["rebase-apply", "rebase"],
	["BISECT_LOG", "bisection"],
] as const;

/** What the `.git` file of a worktree points to. */
export async function readGitDirectory(directory: string): Promise<string | undefined> {
	const text = await readFile(join(directory, ".git"), "utf8").catch(() => "");
	const target = /^gitdir: (.+)$/m.exec(text)?.[1];
	if (target === undefined) return undefined;
	const gitDirectory = resolve(directory, target);
	return (await exists(gitDirectory)) ? gitDirectory : undefined;
}

async function hasEntries(directory: string): Promise<boolean> {
	return (await readdir(directory).catch(() => [])).length > 0;
}

/** A copy that the agent has changed is its work. */
async function isAsBrought(path: string, record: WorktreeRecord): Promise<boolean> {
	if (!isShared(path, record.shared)) return false;
	if (!record.shared.includes(path)) return true;
	try {
		const [here, there] = await Promise.all([
			stat(join(record.directory, path)),
			stat(join(record.checkout, path)),
		]);
		return here.size === there.size && Math.abs(here.mtimeMs - there.mtimeMs) < 1;
	} catch (error) {
		return isMissing(error);
	}
}
