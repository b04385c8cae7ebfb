import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { explain } from "./explain.js";
import type { Git } from "./git.js";

/** Commits that HEAD of a worktree was at, and that nothing refers to any more. */
export type LeftCommits =
	| { readonly ok: true; readonly tips: readonly string[] }
	| { readonly ok: false; readonly problem: string };

/**
 * Finds commits that were made in a worktree and then left, for example on a detached HEAD, or reset away. git forgets
 * them when the worktree is removed. Those that were amended or rebased live on in their successors and are not meant.
 *
 * @param gitDirectory where git keeps what belongs to this worktree
 * @param kept commits that something will refer to
 */
export async function findLeftCommits(
	git: Git,
	commonDirectory: string,
	gitDirectory: string,
	kept: readonly string[],
): Promise<LeftCommits> {
	const log = await readFile(join(gitDirectory, "logs", "HEAD"), "utf8").catch(() => "");
	const entries = log.split("\n").flatMap((line): readonly LogEntry[] => {
		const [, from, to, message] = /^([0-9a-f]+) ([0-9a-f]+) [^\t]*\t?(.*)$/.exec(line) ?? [];
		return from && to ? [{ from, to, message: message ?? "" }] : [];
	});
	if (isPlain(entries, kept)) return { ok: true, tips: [] };
	const replaced = new Set(
		entries.filter(({ message }) => REPLACES.test(message)).map(({ from }) => from),
	);
	const visited = new Set(entries.map(({ to }) => to));
	for (const commit of kept) visited.delete(commit);
	if (visited.size === 0) return { ok: true, tips: [] };

	const listed = await git(
		["rev-list", "--parents", "--stdin", "--not", "--branches", "--tags", "--remotes"],
		{
			cwd: commonDirectory,
			input: [...visited, ...kept.map((commit) => `^${commit}`), ""].join("\n"),
		},
	);
	if (!listed.ok) return { ok: false, problem: explain(listed) };
	const lines = listed.stdout.split("\n").map((line) => line.split(" "));
	const parents = new Set(lines.flatMap(([, ...ids]) => ids));
	const tips = lines
		.map(([commit]) => commit)
		.filter((commit): commit is string => commit !== undefined && visited.has(commit))
		.filter((commit) => !parents.has(commit) && !replaced.has(commit));
	return { ok: true, tips };
}

/** Whether all that happened is commits, each on top of the one before, up to one that is kept. */
function isPlain(entries: readonly LogEntry[], kept: readonly string[]): boolean {
	const first = entries.findIndex(({ message }) => message.startsWith("commit:"));
	if (first < 1 || !kept.includes(entries.at(-1)?.to ?? "")) return false;
	return entries.every(({ from, to, message }, index) =>
		index < first
			? to === entries[first]?.from
			: message.startsWith("commit:") && entries[index - 1]?.to === from,
	);
}

/** One move of HEAD. */
interface LogEntry {
	readonly from: string;
	readonly to: string;
	readonly message: string;
}

const REPLACES = /^commit \(amend\)|^(?:pull .*)?rebase/;
