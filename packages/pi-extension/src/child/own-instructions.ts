import { join, relative } from "node:path";

/** A file with instructions for a directory, such as `AGENTS.md`. */
interface InstructionFile {
	readonly path: string;
	readonly content: string;
}

/**
 * The files without those of the directory that a workspace is a copy of: if the workspace lies below it, the host would
 * find them in both places. Those above, such as a folder with many projects, stay.
 */
export function withoutOriginal<File extends InstructionFile>(
	files: readonly File[],
	workspaceRoot: string,
	original: string,
): readonly File[] {
	const copied = new Set(
		files
			.filter(({ path }) => isInside(path, workspaceRoot))
			.map(({ path }) => join(original, relative(workspaceRoot, path))),
	);
	return files.filter(({ path }) => !copied.has(path));
}

function isInside(path: string, folder: string): boolean {
	const way = relative(folder, path);
	return way !== "" && !way.startsWith("..");
}
