import type { SubagentSession, Workspace } from "@pi-subagents/core";
import { EndedError, type Ending, toError } from "./ending.js";
import type { RunOptions } from "./run-options.js";
import { prepareWorkspace } from "./workspace-phase.js";

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
		const { prepareWorkspace: prepare } = options;
		if (prepare) workspace = await prepareWorkspace(prepare, options, ending);
		if (ending.cause) return { ...(workspace && { workspace }) };
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

function disposeLate(session: SubagentSession): void {
	void Promise.resolve(session.dispose()).catch(() => {});
}
