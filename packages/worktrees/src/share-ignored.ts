import { constants } from "node:fs";
import { cp, lstat, mkdir, readdir, rm, symlink } from "node:fs/promises";
import { dirname, isAbsolute, join, normalize } from "node:path";
import { explain, explainError } from "./explain.js";
import { exists } from "./files.js";
import type { Git } from "./git.js";

/** Files that git ignores, but that work in a worktree needs; relative to the root of the checkout. */
export interface IgnoredFiles {
	/**
	 * Shared with the checkout. Of a directory such as `node_modules` a new one is made whose entries are links, so that
	 * git ignores it in the same way and entries that are added or replaced stay in the worktree.
	 */
	readonly link?: readonly string[];
	/** Copied, such as `.env`. */
	readonly copy?: readonly string[];
}

/**
 * Brings ignored files of the checkout into a worktree. What is not there is skipped silently, what git would not
 * ignore is skipped with a note, because it would be committed.
 */
export async function shareIgnored(
	git: Git,
	from: string,
	to: string,
	files: IgnoredFiles,
	signal: AbortSignal,
): Promise<{ readonly shared: readonly string[]; readonly notes: readonly string[] }> {
	const shared: string[] = [];
	const notes: string[] = [];
	const wanted = [
		...(files.link ?? []).map((path) => ({ path, share: link, done: "linked" })),
		...(files.copy ?? []).map((path) => ({ path, share: copy, done: "copied" })),
	];
	for (const { path: given, share, done } of wanted) {
		const path = normalize(given).replace(/[/\\]+$/, "");
		if (isAbsolute(path) || path === "." || path.split(/[/\\]/)[0] === "..") {
			notes.push(`${given} was not ${done}, because it is not a path inside the repository.`);
			continue;
		}
		const source = join(from, path);
		const target = join(to, path);
		if (!(await exists(source)) || (await exists(target))) continue;
		try {
			await share(source, target);
			const check = await git(["check-ignore", "--quiet", path], { cwd: to, signal });
			if (check.ok) {
				shared.push(path);
				continue;
			}
			await rm(target, { recursive: true, force: true });
			const why = check.code === 1 ? "git does not ignore it" : explain(check);
			notes.push(`${path} was not ${done}, because ${why}.`);
		} catch (error) {
			await rm(target, { recursive: true, force: true }).catch(() => {});
			notes.push(`${path} was not ${done}, because ${explainError(error)}.`);
		}
	}
	return { shared, notes };
}

async function copy(source: string, target: string): Promise<void> {
	await mkdir(dirname(target), { recursive: true });
	await cp(source, target, {
		recursive: true,
		preserveTimestamps: true,
		verbatimSymlinks: true,
		// Without cost where the file system can share blocks.
		mode: constants.COPYFILE_FICLONE,
	});
}

async function link(source: string, target: string): Promise<void> {
	await mkdir(dirname(target), { recursive: true });
	if (!(await lstat(source)).isDirectory()) {
		await symlink(source, target);
		return;
	}
	await mkdir(target);
	for (const entry of await readdir(source, { withFileTypes: true })) {
		const kind = entry.isDirectory() ? "junction" : "file";
		await symlink(join(source, entry.name), join(target, entry.name), kind);
	}
}

/** Whether a path that git ignores was brought here rather than made here. */
export function isShared(path: string, shared: readonly string[]): boolean {
	const plain = path.replace(/\/$/, "");
	return shared.some((other) => plain === other || plain.startsWith(`${other}/`));
}
