import type { AgentOutcome, SubagentSession } from "@pi-subagents/core";
import { type Clock, inSeconds, systemClock } from "./clock.js";
import { converse, nothingSaid } from "./conversation.js";
import { createEnding, type Ending } from "./ending.js";
import { createInbox } from "./inbox.js";
import { checkLimits } from "./limits.js";
import {
	DEFAULT_GRACE_SECONDS,
	type ResumeOptions,
	type RunOptions,
	type RunResult,
} from "./run-options.js";
import { readOutcome } from "./run-outcome.js";
import { startRun } from "./start-run.js";
import { DEFAULT_WORKSPACE_SECONDS, finishWorkspace } from "./workspace-phase.js";

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
	const clock = options.clock ?? systemClock;
	const ending = createEnding(options.signal);
	const stopTime = startTimeLimit(options.limits?.maxSeconds, clock, ending);
	const inbox = options.inbox ?? createInbox();
	const { session, workspace, failure } = await startRun(options, ending);
	const talk =
		session !== undefined && failure === undefined
			? await converse(session, options, ending, inbox)
			: nothingSaid(inbox);
	stopTime();
	ending.release();

	const { turns, usage, text, unreadMessages } = talk;
	const outcome = readOutcome({
		...talk,
		cause: ending.cause,
		failure: failure ?? talk.failure,
		hadSession: session !== undefined,
	});
	const end = { outcome, description: options.description ?? "" };
	const finished =
		workspace &&
		(await finishWorkspace(workspace, end, { clock, seconds: savingSeconds(outcome, options) }));
	return {
		outcome,
		text,
		usage,
		turns,
		unreadMessages,
		unresponsive: talk.dead !== undefined,
		...(session && { session }),
		...(finished && { workspace: finished.report }),
		...(finished?.later && { workspaceLater: finished.later }),
	};
}

/** The time counts from the start of the run, so that it bounds its preparation, too. */
function startTimeLimit(seconds: number | undefined, clock: Clock, ending: Ending): () => void {
	if (!seconds) return () => {};
	const end = (): void =>
		ending.end({ kind: "limit", reason: "time_limit", detail: inSeconds(seconds) });
	return clock.setTimeout(end, seconds * 1000);
}

function savingSeconds(outcome: AgentOutcome, options: RunOptions): number {
	const { graceSeconds = DEFAULT_GRACE_SECONDS, workspaceSeconds = DEFAULT_WORKSPACE_SECONDS } =
		options;
	return outcome.reason === "shutdown"
		? Math.min(graceSeconds, workspaceSeconds)
		: workspaceSeconds;
}
