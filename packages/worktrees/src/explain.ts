import type { GitResult } from "./git.js";

/** A worktree could not be made. The message is one or two sentences for people and for the parent's model. */
export class WorktreeError extends Error {
	override readonly name = "WorktreeError";
}

/** What is known to go wrong, in git's words and in ours; the first match counts. */
const KNOWN: readonly (readonly [RegExp, (match: RegExpExecArray) => string])[] = [
	[
		/Unable to create '([^']+\.lock)': File exists/,
		([, file]) =>
			`another git process holds the lock ${file}; try again when it has ended, or delete that file if no git is running`,
	],
	[/No space left on device|Disk quota exceeded/, () => "the disk is full"],
	[
		/Permission denied|Read-only file system|insufficient permission|unable to create directory for/,
		({ input }) => `git has no permission to write there (${lastLine(input)})`,
	],
	[
		/cannot lock ref '([^']+)'/,
		([, ref]) =>
			`the reference ${ref} is locked or was moved by another git process; try again when it has ended`,
	],
	[
		/dubious ownership/,
		() =>
			"git does not trust it, because it belongs to another user; `git config --global --add safe.directory DIRECTORY` allows it",
	],
	// git does not say why.
	[
		/unable to write file (.+)/,
		([, file]) => `git could not write ${file}; probably the disk is full`,
	],
	[/not a git repository/, () => "it is not in a git repository"],
];

/** Why a git command failed: a clause without a full stop. */
export function explain(result: GitResult): string {
	if (result.failure !== undefined) return `git could not be run to its end: ${result.failure}`;
	for (const [pattern, words] of KNOWN) {
		const match = pattern.exec(result.stderr);
		if (match) return words(match);
	}
	return lastLine(result.stderr) || `git ended with code ${result.code}`;
}

/** The last thing that git complained about. */
function lastLine(text: string): string {
	const lines = text.split("\n").map((line) => line.trim());
	const complaint = lines.findLast((line) => /^(?:fatal|error):/.test(line));
	return (complaint ?? lines.findLast((line) => line !== "") ?? "")
		.replace(/^(?:fatal|error): /, "")
		.replace(/\.$/, "");
}

/** What was thrown, as a clause. */
export function explainError(thrown: unknown): string {
	return thrown instanceof Error ? thrown.message : String(thrown);
}
