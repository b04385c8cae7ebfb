import { copyFile, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { explain, explainError } from "./explain.js";
import { isMissing } from "./files.js";
import type { Git, GitResult } from "./git.js";
import type { Identity } from "./identity.js";
import { listSome } from "./names.js";

/** What a snapshot is made of. */
export interface SnapshotRequest {
	readonly git: Git;
	/** The root of the checkout. */
	readonly checkout: string;
	/** Where git keeps the index of that checkout. */
	readonly gitDirectory: string;
	/** A file to use as index; it is left there for further questions about the snapshot. */
	readonly indexFile: string;
	/** Directories to leave out, relative to the root: repositories of their own. */
	readonly exclude: readonly string[];
	/** The commit's parents; if its files are those of the first one, no commit is made. */
	readonly parents: readonly string[];
	readonly message: string;
	readonly identity: Identity;
	readonly signal?: AbortSignal | undefined;
}

/** A commit of all files of a checkout, which nothing refers to yet. */
export type Snapshot =
	| {
			readonly ok: true;
			readonly commit: string;
			/** Why some files are not in it: a clause. */
			readonly incomplete?: string;
	  }
	| { readonly ok: false; readonly problem: string };

/**
 * Commits the files of a checkout as they are, tracked and new ones, without touching its index, its HEAD, its
 * branches or the stash.
 */
export async function writeSnapshot(request: SnapshotRequest): Promise<Snapshot> {
	const { git, checkout, indexFile, exclude, parents, message, identity, signal } = request;
	const call = { cwd: checkout, env: { GIT_INDEX_FILE: indexFile }, signal };
	const problem = await copyIndex(join(request.gitDirectory, "index"), indexFile);
	if (problem !== undefined) return { ok: false, problem };

	const paths = [":(top)", ...exclude.map((path) => `:(top,exclude,literal)${path}`)];
	const added = await git(
		["add", "--all", "--ignore-errors", "--pathspec-from-file=-", "--pathspec-file-nul"],
		{ ...call, input: paths.join("\0"), slow: true },
	);
	const unreadable = added.ok ? [] : unreadableFiles(added);
	if (!added.ok && unreadable.length === 0) return { ok: false, problem: explain(added) };

	const tree = await git(["write-tree"], call);
	if (!tree.ok) return { ok: false, problem: explain(tree) };
	const treeId = tree.stdout.trim();

	const incomplete =
		unreadable.length === 0 ? {} : { incomplete: `git cannot read ${listSome(unreadable, 5)}` };
	const [parent] = parents;
	if (parent !== undefined && parents.length === 1) {
		const before = await git(["rev-parse", "--verify", "--quiet", `${parent}^{tree}`], call);
		if (before.ok && before.stdout.trim() === treeId) {
			return { ok: true, commit: parent, ...incomplete };
		}
	}
	const commit = await git(
		["commit-tree", treeId, ...parents.flatMap((id) => ["-p", id]), "-F", "-"],
		{ ...call, env: { ...call.env, ...identity }, input: message },
	);
	if (!commit.ok) return { ok: false, problem: explain(commit) };
	return { ok: true, commit: commit.stdout.trim(), ...incomplete };
}

/** The files that were left out, if that is all that went wrong. */
function unreadableFiles({ code, stderr }: GitResult): readonly string[] {
	// A full disk or a read-only repository gives the same exit code.
	const closed = [...stderr.matchAll(/^error: open\("(.+)"\): /gm)].map(([, name = ""]) => name);
	const left = stderr.match(/^error: unable to index file /gm) ?? [];
	return code === 1 && left.length === closed.length ? closed : [];
}

/** With what git knows about unchanged files, so that it need not read them all again. */
async function copyIndex(from: string, to: string): Promise<string | undefined> {
	try {
		await Promise.all([rm(to, { force: true }), rm(`${to}.lock`, { force: true })]);
		const { mtimeMs } = await stat(from);
		await copyFile(from, to);
		// git trusts what it knows about files that are older than the index, so the copy must not look younger.
		const second = Math.floor(mtimeMs / 1000);
		await utimes(to, second, second);
		return undefined;
	} catch (error) {
		// Only a checkout without an index may be read as one: else ignored files that are tracked would seem deleted.
		return isMissing(error) ? undefined : explainError(error);
	}
}
