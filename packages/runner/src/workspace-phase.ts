import type { Workspace, WorkspaceEnd, WorkspaceReport } from "@pi-subagents/core";
import { addAbortListener } from "./abort-listener.js";
import { type Clock, inSeconds, startPause, systemClock } from "./clock.js";
import { EndedError, type Ending, toError } from "./ending.js";
import type { RunOptions } from "./run-options.js";

/** How long a workspace may take to be made, and to be saved, in seconds, unless said otherwise. */
export const DEFAULT_WORKSPACE_SECONDS = 120;

/** What became of a workspace, as far as that was known in time. */
export interface FinishedWorkspace {
	readonly report: WorkspaceReport;
	/** If it was not over in time: the report that comes later. Never rejects, and may never come. */
	readonly later?: Promise<WorkspaceReport>;
}

/**
 * Makes the place to work in. Rejects if that fails or takes too long, and with {@link EndedError} as soon as the run has
 * to end; a place that comes later is finished at once.
 */
export async function prepareWorkspace(
	prepare: NonNullable<RunOptions["prepareWorkspace"]>,
	options: RunOptions,
	ending: Ending,
): Promise<Workspace> {
	const seconds = options.workspaceSeconds ?? DEFAULT_WORKSPACE_SECONDS;
	const overtime = new AbortController();
	const work = prepare(AbortSignal.any([ending.signal, overtime.signal]));
	const limit = startPause(options.clock ?? systemClock, seconds * 1000);
	const stopListening = addAbortListener(ending.signal, limit.end);
	const workspace = await Promise.race([work, limit.over]).finally(() => {
		stopListening();
		limit.end();
	});
	if (workspace !== undefined) return workspace;
	overtime.abort();
	work.then(
		(late) => void reportOf(late, neverUsed(options)),
		() => {},
	);
	if (ending.cause) throw new EndedError("The run was ended.");
	throw new Error(`its workspace was not ready after ${inSeconds(seconds)}`);
}

/**
 * Ends the use of the place. Waits only so long, and shorter if the whole session ends: what the agent made is in the
 * directory, whether or not it could be saved.
 */
export async function finishWorkspace(
	workspace: Workspace,
	end: WorkspaceEnd,
	{ clock, seconds }: { readonly clock: Clock; readonly seconds: number },
): Promise<FinishedWorkspace> {
	const work = reportOf(workspace, end);
	const limit = startPause(clock, seconds * 1000);
	const report = await Promise.race([work, limit.over]);
	limit.end();
	return report === undefined
		? { report: unfinished(workspace, seconds), later: work }
		: { report };
}

/** A provider that breaks its promise and rejects must not cost the run its text. */
async function reportOf(workspace: Workspace, end: WorkspaceEnd): Promise<WorkspaceReport> {
	try {
		return await workspace.finish(end);
	} catch (error) {
		const directory = workspace.root;
		const text = `The workspace ${directory} was left as it is, because finishing it failed: ${toError(error).message}`;
		return { text, directory, changed: true, problems: [text] };
	}
}

function unfinished({ root }: Workspace, seconds: number): WorkspaceReport {
	const text = `Saving the workspace ${root} is not over after ${inSeconds(seconds)} and goes on; nothing in it was deleted. Ask for the result again later to see what became of it.`;
	return { text, directory: root, changed: true, problems: [text] };
}

function neverUsed(options: RunOptions): WorkspaceEnd {
	return {
		outcome: { status: "stopped", reason: "parent", neverStarted: true },
		description: options.description ?? "",
	};
}
