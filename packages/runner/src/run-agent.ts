import type { SubagentSession } from "@pi-subagents/core";
import { converse, nothingSaid } from "./conversation.js";
import { createEnding } from "./ending.js";
import { createInbox } from "./inbox.js";
import { checkLimits } from "./limits.js";
import type { ResumeOptions, RunOptions, RunResult } from "./run-options.js";
import { readOutcome } from "./run-outcome.js";
import { startRun } from "./start-run.js";
import { finishWorkspace } from "./workspace-phase.js";

/** Prompts an existing session again. The same as {@link runAgent} with a session that is there already. */
export function resumeAgent(session: SubagentSession, options: ResumeOptions): Promise<RunResult> {
	return runAgent({ ...options, createSession: () => Promise.resolve(session) });
}

/**
 * Makes a session, gives it one task, and waits until it has really stopped. Never rejects for what happens in the run:
 * the outcome says it. Rejects with a `RangeError` for a limit that is not a number of 0 or more.
 */
export async function runAgent(options: RunOptions): Promise<RunResult> {
	checkLimits(options.limits ?? {});
	const ending = createEnding(options.signal);
	const inbox = options.inbox ?? createInbox();
	const { session, workspace, failure } = await startRun(options, ending);
	const talk =
		session !== undefined && failure === undefined
			? await converse(session, options, ending, inbox)
			: nothingSaid(inbox);
	ending.release();

	const { turns, usage, text, unreadMessages } = talk;
	const outcome = readOutcome({
		...talk,
		cause: ending.cause,
		failure: failure ?? talk.failure,
		hadSession: session !== undefined,
	});
	const end = { outcome, description: options.description ?? "" };
	const report = workspace && (await finishWorkspace(workspace, end));
	return {
		outcome,
		text,
		usage,
		turns,
		unreadMessages,
		unresponsive: talk.dead !== undefined,
		...(session && { session }),
		...(report && { workspace: report }),
	};
}
