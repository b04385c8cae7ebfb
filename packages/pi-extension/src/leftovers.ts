import { stat } from "node:fs/promises";
import { defaultWorktreeDirectory, findLeftovers } from "@pi-subagents/worktrees";
import { oneLine, plural } from "./format.js";

/**
 * A sentence if a crash left worktrees of agents of this repository. They are told of and never touched. Asks git only
 * if agents ever had worktrees here; never rejects.
 */
export async function reportLeftovers(cwd: string): Promise<readonly string[]> {
	const any = await stat(defaultWorktreeDirectory()).catch(() => undefined);
	if (any === undefined) return [];
	const { worktrees } = await findLeftovers({ repo: cwd });
	if (worktrees.length === 0) return [];
	const names = oneLine(worktrees.map(({ worktree }) => worktree.name).join(", "), 200);
	return [
		`${plural(worktrees.length, "worktree")} of agents that did not end: ${names}. See /agents, Worktrees.`,
	];
}
