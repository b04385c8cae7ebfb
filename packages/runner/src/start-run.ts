import type { SubagentSession, Workspace, WorkspaceEnd } from "@pi-subagents/core";
import { EndedError, type Ending, toError } from "./ending.js";
import type { RunOptions } from "./run-options.js";
import { finishWorkspace } from "./workspace-phase.js";

/** How far a run got before its first prompt. */
export interface Started {
	/** Also there if `onSessionCreated` threw, because it has to be disposed. */
	readonly session?: SubagentSession;
	readonly workspace?: Workspace;
	readonly failure?: Error;
}

/** Prepares the workspace, then the session. What comes too late is released again. */
export async function startRun(options: RunOptions, ending: Ending): Promise<Started> {
	let workspace: Workspace | undefined;
	let session: SubagentSession | undefined;
	try {
		if (ending.cause) return {};
		if (options.prepareWorkspace) {
			const discard = (late: Workspace): void => void finishWorkspace(late, neverUsed(options));
			workspace = await ending.race(options.prepareWorkspace(ending.signal), discard);
		}
		session = await ending.race(
			options.createSession({ signal: ending.signal, ...(workspace && { workspace }) }),
			disposeLate,
		);
		options.onSessionCreated?.(session);
		return { session, ...(workspace && { workspace }) };
	} catch (error) {
		const failure = error instanceof EndedError ? {} : { failure: toError(error) };
		return { ...failure, ...(session && { session }), ...(workspace && { workspace }) };
	}
}

function neverUsed(options: RunOptions): WorkspaceEnd {
	return {
		outcome: { status: "stopped", reason: "parent", neverStarted: true },
		description: options.description ?? "",
	};
}

function disposeLate(session: SubagentSession): void {
	void Promise.resolve(session.dispose()).catch(() => {});
}
