import {
	diffWorktree,
	type ListedWorktree,
	listWorktrees,
	mergeWorktree,
	openCommand,
	previewMerge,
	removeWorktree,
	saveWorktree,
} from "@pi-subagents/worktrees";
import { plural } from "../format.js";
import { choose, type Menu } from "./command-context.js";

/** The worktrees that agents made of this repository, also those that a crash left; until the person goes back. */
export async function worktreesMenu(menu: Menu): Promise<void> {
	const { ctx } = menu;
	for (;;) {
		const { worktrees, problems } = await listWorktrees({ repo: ctx.cwd });
		if (problems.length > 0) ctx.ui.notify(problems.join("\n"), "warning");
		if (worktrees.length === 0) {
			ctx.ui.notify("Agents have left no worktrees of this repository.");
			return;
		}
		const listed = await choose(
			ctx,
			"Worktrees of agents",
			worktrees.map((worktree) => ({ label: worktreeLine(worktree), value: worktree })),
		);
		if (listed === undefined) return;
		await worktreeMenu(menu, listed);
	}
}

/** `general-purpose-1a2b (kept): 2 commits, 1 file not committed` */
function worktreeLine({ worktree, state, commits, uncommitted, merged }: ListedWorktree): string {
	const parts = [
		...(commits ? [plural(commits, "commit")] : []),
		...(uncommitted ? [`${plural(uncommitted, "file")} not committed`] : []),
		...(merged ? ["merged"] : []),
	];
	return `${worktree.name} (${state})${parts.length > 0 ? `: ${parts.join(", ")}` : ""}`;
}

async function worktreeMenu(
	{ ctx }: Menu,
	{ worktree, state, hasDirectory }: ListedWorktree,
): Promise<void> {
	const ended = state !== "running";
	const say = (text: string, good: boolean): void => ctx.ui.notify(text, good ? "info" : "error");
	const action = await choose(ctx, worktree.name, [
		{
			label: "Show its changes",
			value: async () => {
				const diff = await diffWorktree(worktree);
				if (diff.ok) await ctx.ui.editor(worktree.name, diff.patch || "No changes.");
				else say(diff.problem, false);
			},
		},
		{
			label: "Open it in a shell",
			value: async () => say(openCommand(worktree, hasDirectory), true),
		},
		...(ended && hasDirectory
			? [
					{
						label: "Save its work on its branch, and remove the directory",
						value: async () => {
							const { text, problems } = await saveWorktree(worktree);
							say(text, problems.length === 0);
						},
					},
				]
			: []),
		...(ended
			? [
					{
						label: "Merge its work",
						value: async () => {
							const preview = await previewMerge(worktree);
							if (!preview.ok) return say(preview.problem, false);
							if (!(await ctx.ui.confirm("Merge?", preview.text))) return;
							const { merged, text } = await mergeWorktree(worktree);
							say(text, merged);
						},
					},
					{
						label: "Remove it",
						value: async () => {
							const { removed, text } = await removeWorktree(worktree);
							if (removed) return say(text, true);
							if (!(await ctx.ui.confirm("Remove it with its work?", text))) return;
							const discarded = await removeWorktree(worktree, { discard: true });
							say(discarded.text, discarded.removed);
						},
					},
				]
			: []),
	]);
	await action?.();
}
