import { lstat, readdir, readlink, realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";

/** Links that lead to links; more are a circle. */
const MOST_LINKS = 40;

/** Whether an operation failed because there is no such file. */
export function isMissing(error: unknown): boolean {
	return (
		error instanceof Error &&
		"code" in error &&
		(error.code === "ENOENT" || error.code === "ENOTDIR")
	);
}

/** Whether something is there, be it a link that leads nowhere. */
export async function exists(path: string): Promise<boolean> {
	return lstat(path).then(
		() => true,
		() => false,
	);
}

/** Whether `path` is `directory` or inside it. Both are absolute and without links. */
export function isInside(path: string, directory: string): boolean {
	const way = relative(directory, path);
	return !isAbsolute(way) && way.split(sep, 1)[0] !== "..";
}

/**
 * The files in a directory, relative to `root`, at most `limit`; `more` says whether there are others. Links are
 * listed, not followed.
 */
export async function listFiles(
	root: string,
	directory: string,
	limit: number,
): Promise<{ readonly files: readonly string[]; readonly more: boolean }> {
	const files: string[] = [];
	const directories = [directory];
	for (let next = directories.shift(); next !== undefined; next = directories.shift()) {
		const entries = await readdir(join(root, next), { withFileTypes: true }).catch(() => []);
		for (const entry of entries) {
			const path = `${next.replace(/\/$/, "")}/${entry.name}`;
			if (entry.isDirectory()) directories.push(path);
			else if (files.length === limit) return { files, more: true };
			else files.push(path);
		}
		if (directories.length > limit) return { files, more: true };
	}
	return { files, more: false };
}

/** Resolves the links of a path whose last parts need not exist; a link that leads nowhere counts as where it leads. */
export async function resolveLinks(path: string): Promise<string> {
	let rest = "";
	let current = path;
	for (let links = 0; links < MOST_LINKS; ) {
		try {
			return join(await realpath(current), rest);
		} catch (error) {
			if (!isMissing(error)) throw error;
		}
		const target = await linkTarget(current);
		if (target !== undefined) {
			links++;
			current = isAbsolute(target) ? target : resolve(await resolveLinks(dirname(current)), target);
			continue;
		}
		const parent = dirname(current);
		if (parent === current) return path;
		rest = join(current.slice(parent.length).replace(/^[/\\]/, ""), rest);
		current = parent;
	}
	throw new Error("too many links");
}

async function linkTarget(path: string): Promise<string | undefined> {
	const found = await lstat(path).catch(() => undefined);
	return found?.isSymbolicLink() ? readlink(path) : undefined;
}
