import {
	type AgentOutcome,
	emptyUsage,
	type RunLimits,
	type SubagentSession,
	type Usage,
	type Workspace,
	type WorkspaceEnd,
	type WorkspaceReport,
} from "@pi-subagents/core";
import { listen } from "@pi-subagents/observers";
import { addAbortListener } from "./abort-listener.js";
import { type Clock, type Pause, startPause, systemClock } from "./clock.js";
import { createEnding, EndedError, type Ending, toError } from "./ending.js";
import { createInbox, type Inbox } from "./inbox.js";
import { checkLimits, type LimitWatch, watchLimits } from "./limits.js";
import { readOutcome } from "./run-outcome.js";
import { watchSettled } from "./settle.js";
import { createTranscript, type RunTranscript } from "./transcript.js";

/** What a resumed run needs. */
export interface ResumeOptions {
	/** The task. It is never taken for a command, whatever it begins with. */
	readonly prompt: string;
	readonly limits?: RunLimits;
	/** Ends the run in whatever phase it is. Its `reason` may be a `StopReason` of core; otherwise `parent` is assumed. */
	readonly signal?: AbortSignal;
	/** Called once, before the first prompt; whoever wants to know more subscribes to the session. */
	readonly onSessionCreated?: (session: SubagentSession) => void;
	/** Where messages to the running agent are sent. */
	readonly inbox?: Inbox;
	/**
	 * How long an ended run may take to stop before it is declared dead.
	 * @defaultValue 5
	 */
	readonly graceSeconds?: number;
	/** @defaultValue the real time */
	readonly clock?: Clock;
}

/** What a run needs. */
export interface RunOptions extends ResumeOptions {
	/** Makes the session. Its `signal` aborts when the run has to end; a session that comes later is disposed. */
	readonly createSession: (start: SessionStart) => Promise<SubagentSession>;
	/** Makes the place to work in; the session is made after it. */
	readonly prepareWorkspace?: (signal: AbortSignal) => Promise<Workspace>;
	/** Three to five words, for the workspace's commit. */
	readonly description?: string;
}

/** What a session is made from. */
export interface SessionStart {
	readonly signal: AbortSignal;
	/** Where the agent works, if a workspace was prepared. */
	readonly workspace?: Workspace;
}

/** How a run ended. */
export interface RunResult {
	readonly outcome: AgentOutcome;
	/** The last text of this run, never of an earlier one; empty if there was none. `isPartial(outcome)` of core says whether it is whole. */
	readonly text: string;
	/** What this run used. */
	readonly usage: Usage;
	/** Turns of this run; attempts that the host retried are not counted. */
	readonly turns: number;
	/** The session, if one was made; the caller disposes it. */
	readonly session?: SubagentSession;
	readonly workspace?: WorkspaceReport;
	/** Steering messages that the agent never read. */
	readonly unreadMessages: readonly string[];
	/** Whether the session did not stop in time; it may still run and must not be prompted again. */
	readonly unresponsive: boolean;
}

const WRAP_UP =
	"You have reached your turn limit. Do not start anything new: answer now with what you have, and say what is unfinished.";

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
	const { session, workspace, failure } = await start(options, ending);
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
	const report = workspace && (await finish(workspace, end));
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

interface Started {
	/** Also there if `onSessionCreated` threw, because it has to be disposed. */
	readonly session?: SubagentSession;
	readonly workspace?: Workspace;
	readonly failure?: Error;
}

/** Prepares the workspace, then the session. What comes too late is released again. */
async function start(options: RunOptions, ending: Ending): Promise<Started> {
	let workspace: Workspace | undefined;
	let session: SubagentSession | undefined;
	try {
		if (ending.cause) return {};
		if (options.prepareWorkspace) {
			const discard = (late: Workspace): void => void finish(late, neverUsed(options));
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

/** A provider that breaks its promise and rejects must not cost the run its text. */
async function finish(workspace: Workspace, end: WorkspaceEnd): Promise<WorkspaceReport> {
	try {
		return await workspace.finish(end);
	} catch (error) {
		const directory = workspace.root;
		const text = `The workspace ${directory} was left as it is, because finishing it failed: ${toError(error).message}`;
		return { text, directory, changed: true, problems: [text] };
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

/** What came of the part of a run that has a session. */
interface Conversation extends Pick<RunResult, "text" | "turns" | "usage" | "unreadMessages"> {
	readonly transcript: RunTranscript;
	readonly wrappedUp: boolean;
	readonly failure: Error | undefined;
	readonly dead: string | undefined;
}

function nothingSaid(inbox: Inbox): Conversation {
	inbox.close();
	return {
		transcript: createTranscript(),
		text: "",
		turns: 0,
		usage: emptyUsage(),
		wrappedUp: false,
		unreadMessages: inbox.takeUnread(),
		failure: undefined,
		dead: undefined,
	};
}

async function converse(
	session: SubagentSession,
	options: RunOptions,
	ending: Ending,
	inbox: Inbox,
): Promise<Conversation> {
	const clock = options.clock ?? systemClock;
	const graceSeconds = options.graceSeconds ?? 5;
	const transcript = createTranscript();
	const watch = watchLimits(options.limits ?? {}, clock, {
		end: ending.end,
		wrapUp: () => void inbox.send(WRAP_UP).catch(() => {}),
	});
	const stopListening = listen(session, (event) => {
		transcript.add(event);
		watch.add(event);
	});
	const stopAborting = abortWhenEnded(session, ending);
	const settle = watchSettled(session, clock);

	let patient = true;
	let wrapUpUnread = false;
	let failure: Error | undefined;
	const grace = startGrace(ending.signal, clock, graceSeconds * 1000);
	const finished = await Promise.race([
		promptUntilRead()
			.catch((error: unknown) => {
				failure = toError(error);
			})
			.then(() => true),
		grace.over.then(() => false),
	]);
	grace.end();
	const dead = finished ? undefined : describeDead(watch, graceSeconds);
	watch.stop();
	settle.stop();
	stopAborting();
	stopListening();
	inbox.close();
	const unreadMessages = takeUnread();
	return {
		transcript,
		text: transcript.lastText,
		turns: watch.turns,
		usage: { ...watch.usage },
		wrappedUp: watch.wrapUpSent && !wrapUpUnread,
		unreadMessages,
		failure,
		dead,
	};

	/** A message that was accepted while the agent was finishing is read in a further prompt of the same run. */
	async function promptUntilRead(): Promise<void> {
		await inbox.open(session);
		let text = options.prompt;
		while (!ending.cause) {
			await session.prompt(text, { expandPromptTemplates: false });
			await settle.settled();
			while (patient && inbox.sending) await flush();
			// An agent that failed or was aborted is not asked again; what it has not read is for the report.
			const how = transcript.last?.stopReason;
			if (ending.cause || how === "error" || how === "aborted") break;
			const unread = takeUnread();
			if (unread.length === 0) break;
			text = unread.join("\n\n");
		}
		// At once, so that no message can slip in behind the last look.
		inbox.close();
		while (patient && inbox.sending) await flush();
	}

	/** Without our own word to wrap up, for which nobody has to be asked again. */
	function takeUnread(): readonly string[] {
		const messages = inbox.takeUnread();
		wrapUpUnread ||= messages.includes(WRAP_UP);
		return messages.filter((message) => message !== WRAP_UP);
	}

	/** A host may hold a message back as long as its extensions like; the end of a run waits for that only so long. */
	async function flush(): Promise<void> {
		const limit = startPause(clock, graceSeconds * 1000);
		const flushed = inbox.flushed().then(() => true);
		patient = await Promise.race([flushed, limit.over.then(() => false)]);
		limit.end();
	}
}

/**
 * Stops the session when the run has to end, and again whenever it starts something: a session forgets an abort that
 * comes while no agent is running, for example between `prompt()` and the first request.
 */
function abortWhenEnded(session: SubagentSession, ending: Ending): () => void {
	const abort = (): void => void abortSession(session).catch(() => {});
	const stopListening = listen(session.agent ?? session, (event) => {
		const starts = event.type === "agent_start" || event.type === "turn_start";
		if (starts && ending.cause) abort();
	});
	if (ending.cause) abort();
	ending.signal.addEventListener("abort", abort, { once: true });
	return () => {
		stopListening();
		ending.signal.removeEventListener("abort", abort);
	};
}

/** The abort of 0.73.1 does not stop a compaction, which may run already or begin when the agent has stopped. */
async function abortSession(session: SubagentSession): Promise<void> {
	try {
		session.abortCompaction?.();
	} finally {
		await session.abort();
	}
	session.abortCompaction?.();
}

/** A pause that begins when the run is told to end; before that it never is over by itself. */
function startGrace(ended: AbortSignal, clock: Clock, ms: number): Pause {
	let end = (): void => {};
	const over = new Promise<void>((resolve) => {
		const start = (): void => {
			const pause = startPause(clock, ms);
			void pause.over.then(resolve);
			end = pause.end;
		};
		const stopListening = addAbortListener(ended, start);
		end = () => {
			stopListening();
			resolve();
		};
		if (ended.aborted) start();
	});
	return { over, end: () => end() };
}

function describeDead(watch: LimitWatch, seconds: number): string {
	const tools = watch.activeTools;
	const what = tools.length > 0 ? `${tools.join(" and ")} still ran` : "it still ran";
	return `${what} ${seconds} seconds after it was told to stop, so it was given up`;
}
