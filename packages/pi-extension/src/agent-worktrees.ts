import type { WorkspaceProvider, WorkspaceReport } from "@pi-subagents/core";
import {
	conflictingEdits,
	createGit,
	type Git,
	type WorktreeRecord,
	worktreeProvider,
} from "@pi-subagents/worktrees";
import { oneLine } from "./format.js";
import type { Settings } from "./settings.js";

/** What {@link agentWorktrees} needs. */
export interface AgentWorktreesOptions {
	readonly settings: () => Pick<Settings, "worktreeBase" | "worktreeLink" | "worktreeCopy">;
	/** Hears what the person has to know at once, one sentence each. */
	readonly onConflict: (lines: readonly string[]) => void;
	/** @defaultValue a git with a helper process */
	readonly git?: Git;
	/** @defaultValue where worktrees live by default */
	readonly directory?: string;
}

/** The worktree of a run. */
interface Used {
	readonly worktree: WorktreeRecord;
	/** Those of runs that went on at any moment of this one. */
	readonly beside: Set<Used>;
}

interface Conflict {
	/** The same for both agents. */
	readonly key: string;
	readonly sentence: string;
}

/**
 * Gives agents git worktrees as the settings say. When one ends, its report says which files an agent that worked at the
 * same time has changed, too, and the person is told.
 */
export function agentWorktrees(options: AgentWorktreesOptions): WorkspaceProvider {
	const git = options.git ?? createGit({ helperProcess: true });
	const provider = worktreeProvider({
		git,
		base: () => options.settings().worktreeBase,
		ignoredFiles: () => ({
			link: options.settings().worktreeLink,
			copy: options.settings().worktreeCopy,
		}),
		...(options.directory !== undefined && { directory: options.directory }),
	});
	const atWork = new Set<Used>();
	/** What the person knows; both agents of a pair find it out. */
	const told = new Set<string>();

	/** Which files others changed as well. */
	async function conflictsOf(used: Used): Promise<readonly Conflict[]> {
		const others = [...used.beside].map(({ worktree }) => worktree);
		if (others.length === 0) return [];
		const { edits } = await conflictingEdits([used.worktree, ...others], { git });
		return others.flatMap((other) => {
			const files = edits
				.filter(({ worktrees }) => worktrees.includes(used.worktree) && worktrees.includes(other))
				.map(({ file }) => file);
			if (files.length === 0) return [];
			const names = [used.worktree.name, other.name].sort();
			const sentence = `The agents ${names.join(" and ")} have both changed ${oneLine(files.join(", "), 300)}, each in its own worktree: merge one, then look at what is left to merge of the other.`;
			return [{ key: JSON.stringify([names, files]), sentence }];
		});
	}

	return {
		async prepare(request) {
			const workspace = await provider.prepare(request);
			const used: Used = { worktree: workspace.worktree, beside: new Set(atWork) };
			for (const other of atWork) other.beside.add(used);
			atWork.add(used);
			let report: Promise<WorkspaceReport> | undefined;
			return {
				...workspace,
				finish(end) {
					report ??= workspace.finish(end).then((finished) => compare(used, finished));
					return report;
				},
			};
		},
	};

	/** Adds to a report what others did to the same files. */
	async function compare(used: Used, finished: WorkspaceReport): Promise<WorkspaceReport> {
		atWork.delete(used);
		if (!finished.changed) for (const other of atWork) other.beside.delete(used);
		const conflicts = finished.changed ? await conflictsOf(used) : [];
		used.beside.clear();
		if (conflicts.length === 0) return finished;
		const untold = conflicts.filter(({ key }) => !told.has(key));
		for (const { key } of untold) told.add(key);
		if (untold.length > 0) options.onConflict(untold.map(({ sentence }) => sentence));
		const sentences = conflicts.map(({ sentence }) => sentence);
		const { text, problems } = finished;
		return {
			...finished,
			text: [text, ...sentences].join("\n"),
			problems: [...problems, ...sentences],
		};
	}
}
