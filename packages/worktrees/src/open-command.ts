import { shellWord } from "./names.js";
import type { WorktreeRecord } from "./record-file.js";

/**
 * A shell command that goes into a worktree; one that is only a branch any more is made again, at the same place.
 *
 * @param hasDirectory whether its directory is still there, as `listWorktrees` says
 */
export function openCommand(
	{ directory, branch, checkout }: WorktreeRecord,
	hasDirectory: boolean,
): string {
	const place = shellWord(directory);
	if (hasDirectory) return `cd ${place}`;
	return `git -C ${shellWord(checkout)} worktree add ${place} ${shellWord(branch)} && cd ${place}`;
}
