import type { SubagentSession } from "@pi-subagents/core";
import { listen } from "@pi-subagents/observers";
import { type Clock, type Pause, startPause } from "./clock.js";

/** Tells when a session has really stopped. */
export interface SettleWatch {
	/** Resolves when no turn, retry, compaction or queued message goes on. Call it after `prompt()`. */
	settled(): Promise<void>;
	/** Ends the watch, also for whoever waits. */
	stop(): void;
}

/** How long 0.73.1 may take to go on after a compaction; it restarts the agent 100 ms later. */
const RESTART_MS = 400;
/** How often 0.73.1 is looked at when no event says that something changed. */
const LOOK_MS = 25;

/**
 * `prompt()` of pi 1.6.0 resolves when everything has settled. That of 0.73.1 resolves before automatic compaction and
 * before the retry after a context overflow, and possibly before its events arrive; there the end has to be watched
 * from before the prompt on.
 */
export function watchSettled(session: SubagentSession, clock: Clock): SettleWatch {
	if (session.waitForIdle) {
		const waitForIdle = session.waitForIdle.bind(session);
		return { settled: waitForIdle, stop: () => {} };
	}
	return session.agent
		? watchByEvents(session, session.agent, clock)
		: { settled: () => Promise.resolve(), stop: () => {} };
}

function watchByEvents(
	session: SubagentSession,
	agent: NonNullable<SubagentSession["agent"]>,
	clock: Clock,
): SettleWatch {
	let starts = 0;
	let ends = 0;
	let compactions = 0;
	let restartUntil = 0;
	let stopped = false;
	let rest: Pause | undefined;

	const stopAgent = listen(agent, (event) => {
		if (event.type !== "agent_start") return;
		starts++;
		restartUntil = 0;
	});
	const stopSession = listen(session, (event) => {
		if (event.type === "agent_end") ends++;
		if (event.type === "compaction_start") compactions++;
		if (event.type === "compaction_end") {
			compactions = Math.max(0, compactions - 1);
			const goesOn = event.willRetry || agent.hasQueuedMessages();
			if (event.result && goesOn) restartUntil = clock.now() + RESTART_MS;
		}
		rest?.end();
	});

	function isSettled(): boolean {
		const busy = session.isStreaming || session.isCompacting || session.isRetrying;
		return !busy && compactions === 0 && ends >= starts && clock.now() >= restartUntil;
	}

	async function settled(): Promise<void> {
		for (;;) {
			await agent.waitForIdle();
			// The session hears of an event after the agent did: give it two turns of the event loop.
			await nextTurn();
			await nextTurn();
			if (stopped || isSettled()) return;
			const restartsIn = restartUntil - clock.now();
			rest = startPause(clock, restartsIn > 0 ? restartsIn + 1 : LOOK_MS);
			await rest.over;
		}
	}

	return {
		settled,
		stop() {
			stopped = true;
			stopAgent();
			stopSession();
			rest?.end();
		},
	};
}

function nextTurn(): Promise<void> {
	return new Promise((resolve) => setImmediate(resolve));
}
