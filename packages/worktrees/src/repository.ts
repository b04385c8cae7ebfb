import { basename, dirname } from "node:path";
import { explain, WorktreeError } from "./explain.js";
import type { Git } from "./git.js";

/** What does not change about a directory in a git checkout. */
export interface Repository {
	/** The root of the checkout that the directory is in. */
	readonly checkout: string;
	/** Where the repository keeps what all its worktrees share. */
	readonly commonDirectory: string;
	/** Where git keeps what belongs to this checkout: its index and its HEAD. */
	readonly gitDirectory: string;
	/** The directory inside the checkout, with a `/` at the end; empty for the root. */
	readonly prefix: string;
	/** For people. */
	readonly name: string;
}

/**
 * Finds the checkout that a directory is in.
 *
 * @throws WorktreeError if there is none, or if git cannot tell
 */
export async function findRepository(
	git: Git,
	cwd: string,
	signal?: AbortSignal,
): Promise<Repository> {
	const result = await git(
		[
			"rev-parse",
			"--is-bare-repository",
			"--path-format=absolute",
			"--git-common-dir",
			"--git-dir",
			"--show-toplevel",
			"--show-prefix",
		],
		{ cwd, signal },
	);
	const [bare, commonDirectory, gitDirectory, checkout, prefix] = result.stdout.split("\n");
	// git prints what it knows before it fails at the first question that has no answer.
	if (bare === "true") {
		throw new WorktreeError(`${cwd} is in a bare repository, which has no checkout to work in.`);
	}
	if (!result.ok && bare === "false" && checkout === "") {
		throw new WorktreeError(`${cwd} is inside git's own directory, not in a checkout.`);
	}
	if (!result.ok && /not a git repository/.test(result.stderr)) {
		throw new WorktreeError(
			`${cwd} is not in a git repository; \`git init\` and a first commit make it one.`,
		);
	}
	if (!result.ok || !commonDirectory || !gitDirectory || !checkout) {
		throw new WorktreeError(`Cannot find the git repository of ${cwd}: ${explain(result)}.`);
	}
	const name = basename(checkout) || basename(dirname(commonDirectory));
	return { checkout, commonDirectory, gitDirectory, prefix: prefix ?? "", name };
}
