import type { Git, GitResult } from "./git.js";

/** What `git status` says about a checkout. Paths are relative to its root. */
export interface CheckoutStatus {
	/** The commit that is checked out; absent if there is none yet. */
	readonly head?: string;
	/** The branch that is checked out; absent if HEAD is detached. */
	readonly branch?: string;
	/** Tracked files that differ from HEAD, staged or not; conflicts, too. */
	readonly modified: readonly string[];
	/** New files that git does not ignore. */
	readonly untracked: readonly string[];
	/** Ignored files, and ignored directories with a `/` at the end; only if asked for. */
	readonly ignored: readonly string[];
	/** Untracked directories that are repositories of their own; git cannot take their files. */
	readonly embedded: readonly string[];
	/** Submodules with changes inside that their own repository has not committed. */
	readonly dirtySubmodules: readonly string[];
	/** Files in a merge conflict; also among `modified`. */
	readonly conflicts: readonly string[];
}

/** How many files of a checkout are not committed. */
export function countUncommitted(status: CheckoutStatus): number {
	return status.modified.length + status.untracked.length;
}

/** Reads the status without touching the index. */
export async function readStatus(
	git: Git,
	cwd: string,
	options: {
		readonly ignored?: boolean;
		readonly env?: Readonly<Record<string, string>>;
		readonly signal?: AbortSignal | undefined;
	} = {},
): Promise<{ readonly status?: CheckoutStatus; readonly result: GitResult }> {
	const result = await git(
		[
			"status",
			"--porcelain=v2",
			"--branch",
			"-z",
			"--untracked-files=all",
			"--no-renames",
			"--ignore-submodules=none",
			...(options.ignored ? ["--ignored=matching"] : []),
		],
		{ cwd, signal: options.signal, ...(options.env && { env: options.env }) },
	);
	return result.ok ? { status: parseStatus(result.stdout), result } : { result };
}

/** Reads the output of `git status --porcelain=v2 --branch -z --no-renames`. */
export function parseStatus(output: string): CheckoutStatus {
	let head: string | undefined;
	let branch: string | undefined;
	const modified: string[] = [];
	const untracked: string[] = [];
	const ignored: string[] = [];
	const embedded: string[] = [];
	const dirtySubmodules: string[] = [];
	const conflicts: string[] = [];
	for (const line of output.split("\0")) {
		if (line.startsWith("# branch.oid ")) head = known(line.slice(13), "(initial)");
		else if (line.startsWith("# branch.head ")) branch = known(line.slice(14), "(detached)");
		else if (line.startsWith("? ")) (line.endsWith("/") ? embedded : untracked).push(line.slice(2));
		else if (line.startsWith("! ")) ignored.push(line.slice(2));
		else if (line.startsWith("1 ") || line.startsWith("u ")) {
			const conflict = line.startsWith("u ");
			const path = afterFields(line, conflict ? 10 : 8);
			modified.push(path);
			if (conflict) conflicts.push(path);
			// `S` + commit changed, content modified, untracked files.
			if (/^S.(?:M.|.U)$/.test(line.split(" ", 3)[2] ?? "")) dirtySubmodules.push(path);
		}
	}
	return {
		...(head !== undefined && { head }),
		...(branch !== undefined && { branch }),
		modified,
		untracked,
		ignored,
		embedded,
		dirtySubmodules,
		conflicts,
	};
}

function known(value: string, nothing: string): string | undefined {
	return value === nothing ? undefined : value;
}

function afterFields(line: string, fields: number): string {
	let position = 0;
	for (let field = 0; field < fields; field++) position = line.indexOf(" ", position) + 1;
	return line.slice(position);
}
