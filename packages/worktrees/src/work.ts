import { mkdtemp, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { explain } from "./explain.js";
import { exists } from "./files.js";
import type { Git } from "./git.js";
import { findIdentity } from "./identity.js";
import { readGitDirectory } from "./inspect-worktree.js";
import type { WorktreeRecord } from "./record-file.js";
import { readRefs } from "./refs.js";
import { writeSnapshot } from "./snapshot.js";
import { countUncommitted, readStatus } from "./status.js";

/** Everything that is in a worktree now, as a commit. */
export type CurrentWork =
	| {
			readonly ok: true;
			readonly commit: string;
			/** How many of its files are not committed yet. */
			readonly uncommitted: number;
	  }
	| { readonly ok: false; readonly problem: string };

/** Reads the work of a worktree, whether an agent works in it or only its branch is left. Changes nothing in it. */
export async function readWork(
	git: Git,
	record: WorktreeRecord,
	signal?: AbortSignal,
): Promise<CurrentWork> {
	const { directory, branch, commonDirectory } = record;
	if (await exists(directory)) {
		const gitDirectory = await readGitDirectory(directory);
		if (gitDirectory === undefined) {
			return { ok: false, problem: `the .git file of ${directory} is missing or damaged` };
		}
		const { status, result } = await readStatus(git, directory, { signal });
		if (!status) return { ok: false, problem: explain(result) };
		const uncommitted = countUncommitted(status);
		if (uncommitted === 0 && status.head !== undefined) {
			return { ok: true, commit: status.head, uncommitted };
		}
		return inTemporaryDirectory(dirname(directory), async (temporary) => {
			const snapshot = await writeSnapshot({
				git,
				checkout: directory,
				gitDirectory,
				indexFile: join(temporary, "index"),
				exclude: status.embedded,
				parents: status.head === undefined ? [] : [status.head],
				message: `Work of ${record.name}`,
				identity: await findIdentity(git, directory),
				signal,
			});
			return snapshot.ok ? { ok: true, commit: snapshot.commit, uncommitted } : snapshot;
		});
	}
	const { refs, result } = await readRefs(git, commonDirectory, [`refs/heads/${branch}`], signal);
	const reference = refs.get(`refs/heads/${branch}`);
	if (reference) return { ok: true, commit: reference.commit, uncommitted: 0 };
	return {
		ok: false,
		problem: result.ok ? `the branch ${branch} does not exist any more` : explain(result),
	};
}

/** Gives `work` a directory of its own and removes it afterwards. */
export async function inTemporaryDirectory<T>(
	parent: string,
	work: (directory: string) => Promise<T>,
): Promise<T> {
	const directory = await mkdtemp(join(parent, ".temporary-"));
	try {
		return await work(directory);
	} finally {
		await rm(directory, { recursive: true, force: true }).catch(() => {});
	}
}
