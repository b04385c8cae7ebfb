import { mkdir, realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join } from "node:path";
import { explainError, WorktreeError } from "./explain.js";
import { isInside, resolveLinks } from "./files.js";
import { repositoryFolder } from "./names.js";
import type { Repository } from "./repository.js";

/**
 * Where worktrees live unless another directory is chosen: `$XDG_STATE_HOME/pi-subagents/worktrees`, by default
 * `~/.local/state/pi-subagents/worktrees`. It outlives a restart of the machine, and is in no checkout.
 */
export function defaultWorktreeDirectory(
	environment: NodeJS.ProcessEnv = process.env,
	home: string = homedir(),
): string {
	const state = environment.XDG_STATE_HOME;
	const base = state !== undefined && isAbsolute(state) ? state : join(home, ".local", "state");
	return join(base, "pi-subagents", "worktrees");
}

/** The folder with the worktrees of one repository; it need not exist. */
export async function findFolder(directory: string, repository: Repository): Promise<string> {
	const { commonDirectory } = repository;
	const main = basename(commonDirectory) === ".git" ? dirname(commonDirectory) : commonDirectory;
	const folder = repositoryFolder(basename(main), commonDirectory);
	return join(await resolveLinks(directory), folder);
}

/**
 * Makes the folder with the worktrees of one repository, readable by its owner only.
 *
 * @throws WorktreeError if it would be inside a checkout of that repository, or cannot be made
 */
export async function makeFolder(directory: string, repository: Repository): Promise<string> {
	const folder = await findFolder(directory, repository);
	const { checkout, commonDirectory } = repository;
	for (const place of [checkout, commonDirectory, dirname(commonDirectory)]) {
		// Next to a bare repository is a usual place.
		if (place === dirname(commonDirectory) && basename(commonDirectory) !== ".git") continue;
		if (isInside(folder, await resolveLinks(place))) {
			throw new WorktreeError(
				`Worktrees cannot be kept in ${directory}, because that is inside the checkout ${place}; choose a directory outside.`,
			);
		}
	}
	try {
		await mkdir(folder, { recursive: true, mode: 0o700 });
		return await realpath(folder);
	} catch (error) {
		throw new WorktreeError(`Worktrees cannot be kept in ${directory}: ${explainError(error)}.`, {
			cause: error,
		});
	}
}
