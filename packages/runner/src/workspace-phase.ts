import type { Workspace, WorkspaceEnd, WorkspaceReport } from "@pi-subagents/core";
import { toError } from "./ending.js";

/** A provider that breaks its promise and rejects must not cost the run its text. */
export async function finishWorkspace(
	workspace: Workspace,
	end: WorkspaceEnd,
): Promise<WorkspaceReport> {
	try {
		return await workspace.finish(end);
	} catch (error) {
		const directory = workspace.root;
		const text = `The workspace ${directory} was left as it is, because finishing it failed: ${toError(error).message}`;
		return { text, directory, changed: true, problems: [text] };
	}
}
