import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { WorktreeError } from "./explain.js";
import { exists } from "./files.js";
import type { Git } from "./git.js";
import { listSome } from "./names.js";
import { type WorktreeRecord, writeRecord } from "./record-file.js";
import type { Repository } from "./repository.js";
import { type IgnoredFiles, shareIgnored } from "./share-ignored.js";

/** Brings in what a new checkout lacks, and says what it still lacks. */
export async function furnish(
	record: WorktreeRecord,
	request: {
		readonly git: Git;
		readonly repository: Repository;
		readonly ignoredFiles: IgnoredFiles;
		readonly signal: AbortSignal;
	},
): Promise<{ readonly record: WorktreeRecord; readonly caveats: readonly string[] }> {
	const { git, repository, ignoredFiles, signal } = request;
	const { checkout } = repository;
	const { directory } = record;
	const share = await shareIgnored(git, checkout, directory, ignoredFiles, signal);
	const opened: WorktreeRecord = { ...record, shared: share.shared, stage: "used" };
	const caveats = [
		...share.notes,
		...(await aboutSubmodules(git, directory, signal)),
		...(await aboutLargeFiles(git, directory, signal)),
	];
	if (signal.aborted) throw new WorktreeError("It was stopped.");
	await writeRecord(opened);
	return { record: opened, caveats };
}

async function aboutSubmodules(
	git: Git,
	directory: string,
	signal: AbortSignal,
): Promise<readonly string[]> {
	if (!(await exists(join(directory, ".gitmodules")))) return [];
	const listed = await git(
		["config", "--file", ".gitmodules", "--null", "--get-regexp", "\\.path$"],
		{ cwd: directory, signal },
	);
	const paths = listed.stdout.split("\0").flatMap((entry) => entry.split("\n").slice(1));
	if (paths.length === 0) return [];
	return [
		`Submodules are empty here: ${listSome(paths, 5)}; \`git submodule update --init PATH\` fills one.`,
	];
}

async function aboutLargeFiles(
	git: Git,
	directory: string,
	signal: AbortSignal,
): Promise<readonly string[]> {
	const attributes = await readFile(join(directory, ".gitattributes"), "utf8").catch(() => "");
	if (!/\bfilter=lfs\b/.test(attributes)) return [];
	const filter = await git(["config", "--get-regexp", "^filter\\.lfs\\.(process|smudge)$"], {
		cwd: directory,
		signal,
	});
	if (filter.ok) return [];
	return ["Files under Git LFS are pointers here, because git-lfs is not set up on this machine."];
}
