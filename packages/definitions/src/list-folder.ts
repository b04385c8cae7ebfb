import { statSync } from "node:fs";
import { readdir, realpath } from "node:fs/promises";
import { sep } from "node:path";
import type { Diagnostic } from "./diagnostic.js";
import { codeOf, reasonOf } from "./file-errors.js";
import type { DefinitionFolder } from "./folder.js";

/** A file that is named like an agent file. */
export interface ListedFile {
	readonly kind: DefinitionFolder["kind"];
	readonly file: string;
	readonly realPath: string;
}

/** The files of one folder, sorted by name. */
export interface Listing {
	readonly folder: DefinitionFolder;
	readonly realPath?: string;
	readonly files: readonly ListedFile[];
	readonly problem?: Diagnostic;
}

/** Looks into a folder, not below it. A folder that is not there is empty. Never rejects. */
export async function listFolder(folder: DefinitionFolder): Promise<Listing> {
	if (isMissing(folder.path)) return { folder, files: [] };
	try {
		const realFolder = await realpath(folder.path);
		const entries = (await readdir(realFolder, { withFileTypes: true })).filter(
			({ name }) => /\.md$/i.test(name) && !name.startsWith("."),
		);
		entries.sort((a, b) => (a.name < b.name ? -1 : 1));
		const files = entries.map(({ name }) => ({
			kind: folder.kind,
			file: `${folder.path}${sep}${name}`,
			realPath: `${realFolder}${sep}${name}`,
		}));
		for (const [index, entry] of entries.entries()) {
			const file = files[index];
			if (!file || !entry.isSymbolicLink()) continue;
			// A link that leads nowhere or in a circle is found out when the file is looked at.
			file.realPath = await realpath(file.realPath).catch(() => file.realPath);
		}
		return { folder, realPath: realFolder, files };
	} catch (error) {
		if (codeOf(error) === "ENOENT") return { folder, files: [] };
		const problem: Diagnostic = {
			severity: "warning",
			file: folder.path,
			what: "The folder cannot be read",
			why: reasonOf(error),
			fix: "Make it a folder that can be read, or remove it",
		};
		return { folder, files: [], problem };
	}
}

/**
 * Most projects have none of the folders, and it is looked for at every start of an agent: on a busy machine, going to
 * another thread for an error costs a hundred times what this does.
 */
function isMissing(path: string): boolean {
	try {
		return statSync(path, { throwIfNoEntry: false }) === undefined;
	} catch {
		return false;
	}
}

/** A folder that is there twice, by links, counts where it has the higher precedence. */
export function withoutRepetitions(listings: readonly Listing[]): readonly Listing[] {
	return listings.filter(
		({ realPath }, index) =>
			realPath === undefined ||
			!listings.slice(index + 1).some((later) => later.realPath === realPath),
	);
}
