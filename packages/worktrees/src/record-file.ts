import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ProcessOwner } from "./process-identity.js";

/**
 * What is remembered about one worktree, in a JSON file beside it. With it, what a crash left is found again, and its
 * changes can be told from what they began with.
 */
export interface WorktreeRecord {
	readonly version: 1;
	readonly agentId: string;
	readonly type: string;
	readonly description: string;
	/** Folder, file and branch are named after it. */
	readonly name: string;
	/** Where the worktree is, or was. */
	readonly directory: string;
	readonly branch: string;
	/** The commit that the agent began with; its changes are what differs from it. */
	readonly base: string;
	/** What the base is, for people, such as `the working state of main at 1a2b3c4d5e`. */
	readonly baseName: string;
	/** Whether the base is a commit made of uncommitted files, which is not part of the user's history. */
	readonly carried: boolean;
	/** The checkout that the agent was started from. */
	readonly checkout: string;
	readonly commonDirectory: string;
	/** Ignored files that were linked or copied into the worktree; relative to its root. */
	readonly shared: readonly string[];
	/** `preparing`: no agent has worked in it yet. `used`: an agent works or has worked in it. `ended`: its work was put on the branch as far as possible. */
	readonly stage: "preparing" | "used" | "ended";
	/** The process that works with it; absent when it has ended. */
	readonly owner?: ProcessOwner;
	/** Milliseconds since the epoch. */
	readonly createdAt: number;
	/** The tip of the branch when its changes were brought into a checkout. */
	readonly mergedTip?: string;
	/** That checkout. */
	readonly mergedInto?: string;
}

/** Where the record of a worktree is. */
export function recordFile(record: Pick<WorktreeRecord, "directory">): string {
	return `${record.directory}.json`;
}

/** Writes it whole or not at all, readable by its owner only. */
export async function writeRecord(record: WorktreeRecord): Promise<void> {
	const file = recordFile(record);
	const unfinished = `${file}.new`;
	await mkdir(join(file, ".."), { recursive: true, mode: 0o700 });
	await writeFile(unfinished, `${JSON.stringify(record, null, "\t")}\n`, { mode: 0o600 });
	await rename(unfinished, file);
}

/** `undefined` if there is none, or if it is not one of ours. */
export async function readRecord(file: string): Promise<WorktreeRecord | undefined> {
	try {
		const value: unknown = JSON.parse(await readFile(file, "utf8"));
		return isRecord(value) ? value : undefined;
	} catch {
		return undefined;
	}
}

/** The records in a folder, oldest first. */
export async function readRecords(folder: string): Promise<readonly WorktreeRecord[]> {
	const names = await readdir(folder).catch(() => []);
	const files = names.filter((name) => name.endsWith(".json")).map((name) => join(folder, name));
	const records = await Promise.all(files.map(readRecord));
	return records
		.filter((record) => record !== undefined)
		.sort((one, other) => one.createdAt - other.createdAt || (one.name < other.name ? -1 : 1));
}

/** Forgets a worktree: the record, and what an interrupted git may have left beside it. */
export async function removeRecord(record: WorktreeRecord): Promise<void> {
	const { directory } = record;
	const files = [recordFile(record), `${recordFile(record)}.new`, ...temporaryFiles(directory)];
	await Promise.all(files.map((file) => rm(file, { force: true })));
}

/** The index that snapshots of a worktree are made with; never the checkout's own. */
export function temporaryIndex(directory: string): string {
	return `${directory}.index`;
}

/** Everything that a snapshot may leave behind. */
export function temporaryFiles(directory: string): readonly string[] {
	return [temporaryIndex(directory), `${temporaryIndex(directory)}.lock`];
}

const TEXTS = [
	"agentId",
	"type",
	"description",
	"name",
	"directory",
	"branch",
	"base",
	"baseName",
	"checkout",
	"commonDirectory",
] as const;

function isRecord(value: unknown): value is WorktreeRecord {
	if (typeof value !== "object" || value === null) return false;
	const fields: Partial<Record<string, unknown>> = { ...value };
	return (
		fields.version === 1 &&
		TEXTS.every((name) => typeof fields[name] === "string") &&
		typeof fields.carried === "boolean" &&
		typeof fields.createdAt === "number" &&
		Array.isArray(fields.shared) &&
		fields.shared.every((path) => typeof path === "string") &&
		(fields.stage === "preparing" || fields.stage === "used" || fields.stage === "ended") &&
		(fields.mergedTip === undefined || typeof fields.mergedTip === "string") &&
		(fields.mergedInto === undefined || typeof fields.mergedInto === "string") &&
		(fields.owner === undefined || isOwner(fields.owner))
	);
}

function isOwner(value: unknown): value is ProcessOwner {
	return (
		typeof value === "object" &&
		value !== null &&
		"pid" in value &&
		typeof value.pid === "number" &&
		"started" in value &&
		typeof value.started === "string"
	);
}
