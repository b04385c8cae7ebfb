import { readFile as readFileWithCallback, type Stats, stat } from "node:fs";
import { promisify } from "node:util";
import type { AgentFileResult } from "./agent-file-result.js";
import type { Diagnostic } from "./diagnostic.js";
import { reasonOf } from "./file-errors.js";
import type { DefinitionFolder } from "./folder.js";
import { forEachConcurrently } from "./for-each-concurrently.js";
import { type ListedFile, listFolder, withoutRepetitions } from "./list-folder.js";
import { readAgentFile } from "./read-agent-file.js";

/** A file of a folder, and how it ended. */
export interface FolderFile {
	readonly file: string;
	/** Where it really is, behind links. */
	readonly realPath: string;
	readonly result: AgentFileResult;
}

/** What a folder holds, sorted by file name. */
export interface FolderContent {
	readonly folder: DefinitionFolder;
	readonly files: readonly FolderFile[];
	/** Set if the folder itself cannot be read. */
	readonly problem?: Diagnostic;
}

/** Costs half of what the function of `node:fs/promises` costs, which counts for a thousand files. */
const readFile = promisify(readFileWithCallback);

/** Files larger than this are rejected without being read. */
const MAX_BYTES = 1024 * 1024;

interface CachedFile extends FolderFile {
	readonly mtimeMs: number;
	readonly size: number;
	/** What could not be read is tried again each time. */
	readonly failed: boolean;
}

/** Remembers agent files: each is read once, and again only when its modification time or size changed. */
export class AgentFileCache {
	#files: ReadonlyMap<string, CachedFile> = new Map();
	#folders = "";

	/** Looks at all folders. `changed` says whether anything differs from the last look. Never rejects. */
	async read(
		folders: readonly DefinitionFolder[],
	): Promise<{ readonly contents: readonly FolderContent[]; readonly changed: boolean }> {
		const listings = withoutRepetitions(await Promise.all(folders.map(listFolder)));
		const paths = listings.flatMap((listing) => listing.files);
		const stats = await statAll(paths.map((path) => path.file));
		const files = new Map<string, CachedFile>();
		let changed = false;
		const stale: {
			readonly key: string;
			readonly path: ListedFile;
			readonly found: Stats | Error;
		}[] = [];
		for (const [index, path] of paths.entries()) {
			const found = stats[index] ?? new Error("it is not there");
			const key = `${path.kind} ${path.file}`;
			const cached = this.#files.get(key);
			if (cached && !cached.failed && isUnchanged(cached, path, found)) files.set(key, cached);
			else stale.push({ key, path, found });
		}
		await forEachConcurrently(stale, 16, async ({ key, path, found }) => {
			const file = await load(path, found);
			const before = this.#files.get(key);
			if (before?.failed && file.failed && isSame(before, file)) files.set(key, before);
			else {
				files.set(key, file);
				changed = true;
			}
		});
		const signature = JSON.stringify(listings.map(({ folder, problem }) => [folder, problem]));
		changed ||= files.size !== this.#files.size || signature !== this.#folders;
		this.#files = files;
		this.#folders = signature;
		const contents = listings.map(({ folder, files: listed, problem }) => ({
			folder,
			files: listed.flatMap((path) => files.get(`${path.kind} ${path.file}`) ?? []),
			...(problem && { problem }),
		}));
		return { contents, changed };
	}
}

/** One callback per file is half as dear as one promise per file, and this is all that an unchanged reload does. */
function statAll(paths: readonly string[]): Promise<readonly (Stats | Error)[]> {
	return new Promise((resolve) => {
		const results: (Stats | Error)[] = new Array(paths.length);
		let left = paths.length;
		if (left === 0) resolve(results);
		for (const [index, path] of paths.entries()) {
			stat(path, (error, stats) => {
				results[index] = error ?? stats;
				if (--left === 0) resolve(results);
			});
		}
	});
}

function isUnchanged(cached: CachedFile, path: ListedFile, found: Stats | Error): boolean {
	return (
		!(found instanceof Error) &&
		found.mtimeMs === cached.mtimeMs &&
		found.size === cached.size &&
		path.realPath === cached.realPath
	);
}

function isSame(a: CachedFile, b: CachedFile): boolean {
	return JSON.stringify(a.result) === JSON.stringify(b.result) && a.realPath === b.realPath;
}

async function load(path: ListedFile, found: Stats | Error): Promise<CachedFile> {
	const { kind, file, realPath } = path;
	const stats = found instanceof Error ? { mtimeMs: 0, size: 0 } : found;
	const result = (result: AgentFileResult, failed = false): CachedFile => ({
		file,
		realPath,
		result,
		failed,
		mtimeMs: stats.mtimeMs,
		size: stats.size,
	});
	if (found instanceof Error) return result(unreadable(file, reasonOf(found)), true);
	if (!found.isFile()) {
		const what = `It is named like an agent file, but it is a ${found.isDirectory() ? "folder" : "device or pipe"}`;
		const fix = "Rename it";
		const why = "it is left out";
		const diagnostics: Diagnostic[] = [{ severity: "warning", file, what, why, fix }];
		return result({ outcome: "not_an_agent", diagnostics });
	}
	if (found.size > MAX_BYTES) return result(unreadable(file, "it is larger than 1 MB"));
	try {
		return result(readAgentFile({ file, kind, content: await readFile(file) }));
	} catch (error) {
		return result(unreadable(file, reasonOf(error)), true);
	}
}

function unreadable(file: string, why: string): AgentFileResult {
	const name = file.replace(/^.*[/\\]/, "").replace(/\.md$/i, "");
	const fix = "Make it a file that can be read, or remove it";
	const diagnostics: Diagnostic[] = [
		{ severity: "error", file, what: "The file cannot be read", why, fix },
	];
	return { outcome: "reject", name, diagnostics };
}
