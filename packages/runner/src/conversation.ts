import { emptyUsage, type SubagentSession } from "@pi-subagents/core";
import { listen } from "@pi-subagents/observers";
import { abortWhenEnded } from "./abort-session.js";
import { inSeconds, startGrace, startPause, systemClock } from "./clock.js";
import { type Ending, toError } from "./ending.js";
import type { Inbox } from "./inbox.js";
import { type LimitWatch, watchLimits } from "./limits.js";
import { DEFAULT_GRACE_SECONDS, type RunOptions, type RunResult } from "./run-options.js";
import { watchSettled } from "./settle.js";
import { createTranscript, type RunTranscript } from "./transcript.js";

const WRAP_UP =
	"You have reached your turn limit. Do not start anything new: answer now with what you have, and say what is unfinished.";

const NUDGE =
	"Nothing was heard of you for a while. If you are stuck, do not start anything new: answer now with what you have, and say what is unfinished. Otherwise go on.";

/** The run's own messages to its agent; nobody else has to be told that they were not read. */
const OWN_MESSAGES: ReadonlySet<string> = new Set([WRAP_UP, NUDGE]);

/** What came of the part of a run that has a session. */
export interface Conversation
	extends Pick<RunResult, "text" | "turns" | "usage" | "unreadMessages"> {
	readonly transcript: RunTranscript;
	readonly wrappedUp: boolean;
	readonly failure: Error | undefined;
	readonly dead: string | undefined;
}

/** The conversation of a run that never had one; what waits in the inbox is unread. */
export function nothingSaid(inbox: Inbox): Conversation {
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

/** Gives the session its task and whatever comes in meanwhile, until it has really stopped, or is given up. */
export async function converse(
	session: SubagentSession,
	options: RunOptions,
	ending: Ending,
	inbox: Inbox,
): Promise<Conversation> {
	const clock = options.clock ?? systemClock;
	const graceSeconds = options.graceSeconds ?? DEFAULT_GRACE_SECONDS;
	const transcript = createTranscript();
	const actions = {
		end: ending.end,
		wrapUp: () => void inbox.send(WRAP_UP).catch(() => {}),
		nudge: () => void inbox.send(NUDGE).catch(() => {}),
	};
	const watch = watchLimits(options.limits ?? {}, clock, actions, options.untimedTools);
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

	/** Without our own messages, for which nobody has to be asked again. */
	function takeUnread(): readonly string[] {
		const messages = inbox.takeUnread();
		wrapUpUnread ||= messages.includes(WRAP_UP);
		return messages.filter((message) => !OWN_MESSAGES.has(message));
	}

	/** A host may hold a message back as long as its extensions like; the end of a run waits for that only so long. */
	async function flush(): Promise<void> {
		const limit = startPause(clock, graceSeconds * 1000);
		const flushed = inbox.flushed().then(() => true);
		patient = await Promise.race([flushed, limit.over.then(() => false)]);
		limit.end();
	}
}

function describeDead(watch: LimitWatch, seconds: number): string {
	const tools = watch.activeTools;
	const what = tools.length > 0 ? `${tools.join(" and ")} still ran` : "it still ran";
	return `${what} ${inSeconds(seconds)} after it was told to stop, so it was given up`;
}
