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
import { oneLine, plural } from "../format.js";
import { choose, type Menu } from "./command-context.js";

/** The worktrees that agents made of this repository, also those that a crash left; until the person goes back. */
export async function worktreesMenu(menu: Menu): Promise<void> {
	const { ctx } = menu;
	for (;;) {
		const { worktrees, unrecorded, problems } = await listWorktrees({ repo: ctx.cwd });
		if (problems.length > 0) ctx.ui.notify(problems.join("\n"), "warning");
		if (unrecorded.length > 0) {
			const names = unrecorded.map(({ branch }) => branch).join(", ");
			ctx.ui.notify(
				`Of these branches of agents nothing is recorded here, so only git can show, merge or delete them: ${oneLine(names, 300)}.`,
			);
		}
		if (worktrees.length === 0) {
			if (unrecorded.length === 0)
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
	{ worktree, state, hasDirectory, uncommitted = 0 }: ListedWorktree,
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
							if (uncommitted > 0) {
								const question = `${plural(uncommitted, "file")} of ${worktree.name} are not committed yet. Saved, its work is on ${worktree.branch}, and its directory is removed.`;
								if (!(await ctx.ui.confirm("Save its work first?", question))) return;
								const { text, problems } = await saveWorktree(worktree);
								say(text, problems.length === 0);
								if (problems.length > 0) return;
							}
							const preview = await previewMerge(worktree);
							if (!preview.ok) return say(preview.problem, false);
							const { clean, conflicts, inTheWay, text } = preview;
							if (!clean && conflicts.length === 0 && inTheWay.length === 0)
								return say(text, false);
							const [title, how] = clean
								? ["Merge?", {}]
								: conflicts.length > 0
									? ["Bring it in with conflict markers?", { allowConflicts: true }]
									: ["Bring it in as uncommitted changes?", { mode: "changes" as const }];
							if (!(await ctx.ui.confirm(title, text))) return;
							const result = await mergeWorktree(worktree, how);
							say(result.text, result.merged);
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
