import { createHash } from "node:crypto";

/** Bytes of a name that is part of a path and of a branch; leaves room for suffixes below 255. */
const LONGEST_ID = 48;
const LONGEST_TYPE = 32;

/**
 * The name of an agent's worktree, `<type>-<id>`: lower-case ASCII, safe in paths and branches, stable, and different
 * for different ids, also for long ones, those that differ in odd characters only, and where case does not count.
 */
export function worktreeName(type: string, agentId: string): string {
	const id = slug(agentId, LONGEST_ID);
	const unique = id === agentId ? id : `${id.slice(0, 24)}-${shortHash(agentId)}`.replace(/^-/, "");
	return `${slug(type, LONGEST_TYPE) || "agent"}-${unique}`;
}

/** The folder of a repository's worktrees: the name of its checkout, and what tells it from others of that name. */
export function repositoryFolder(checkoutName: string, commonDirectory: string): string {
	return `${slug(checkoutName, LONGEST_ID) || "repository"}-${shortHash(commonDirectory)}`;
}

/** A word of a shell command. */
export function shellWord(text: string): string {
	return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** `1 file`, `2 files`. */
export function count(number: number, noun: string): string {
	return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

/** The first names of a list, and how many more there are. */
export function listSome(names: readonly string[], limit: number): string {
	const shown = names.slice(0, limit).join(", ");
	return names.length > limit ? `${shown} and ${count(names.length - limit, "other")}` : shown;
}

/** The first digits of a commit, as people write it. */
export function shortCommit(commit: string): string {
	return commit.slice(0, 10);
}

function slug(text: string, length: number): string {
	return text
		.normalize("NFKD")
		.toLowerCase()
		.replace(/[^a-z0-9]+/g, "-")
		.replace(/^-+/, "")
		.slice(0, length)
		.replace(/-+$/, "");
}

function shortHash(text: string): string {
	return createHash("sha256").update(text).digest("hex").slice(0, 10);
}
