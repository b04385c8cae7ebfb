import type { ListedWorktree, UnrecordedBranch } from "./list-worktrees.js";
import { count, shellWord } from "./names.js";

/** One line of the list. */
export function describe({
	worktree,
	state,
	commits,
	uncommitted,
	...rest
}: ListedWorktree): string {
	const facts = [
		...(commits === undefined ? [] : [count(commits, "commit")]),
		...(uncommitted ? [count(uncommitted, "uncommitted file")] : []),
		...(rest.merged ? ["merged"] : []),
	];
	const place = rest.hasDirectory ? `, ${worktree.directory}` : "";
	const task = worktree.description === "" ? "" : ` (${worktree.description})`;
	return `${state.padEnd(8)} ${worktree.name}${task}: ${facts.join(", ") || "no commits"}, on ${worktree.branch}${place}`;
}

/** What is known of a branch without a record. */
export function describeUnrecorded({ branch, directory }: UnrecordedBranch): string {
	const place = directory === undefined ? "" : `, at ${directory}`;
	return `unknown  ${branch}${place}: nothing is recorded of it here`;
}

/** What can be done with such a branch, with git alone. */
export function howToGoOn({ branch, directory }: UnrecordedBranch, repo: string): string {
	const git = `git -C ${shellWord(repo)}`;
	const remove = directory === undefined ? "" : `${git} worktree remove ${shellWord(directory)}; `;
	return [
		"If it was made with another --directory, say which.",
		`\`${git} log -p HEAD..${branch}\` shows its commits, \`${git} merge ${branch}\` merges them,`,
		`and \`${remove}${git} branch -D ${branch}\` removes it.`,
	].join(" ");
}

/** A call of `command` that can be copied, with the places of the call that is answered. */
export function commandLine(
	command: string,
	text: string,
	{
		repo,
		directory,
	}: { readonly repo?: string | undefined; readonly directory?: string | undefined },
): string {
	const places = [
		...(repo === undefined ? [] : ["--repo", repo]),
		...(directory === undefined ? [] : ["--directory", directory]),
	];
	return [command, text, ...places.map(shellWord)].join(" ");
}
