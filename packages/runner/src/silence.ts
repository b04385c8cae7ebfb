import type { ObservableSession, SessionEvent } from "@pi-subagents/core";
import { listen } from "@pi-subagents/observers";
import type { Clock } from "./clock.js";

/** What to do when nothing was heard for a while. */
export interface SilenceStage {
	/** Counted from the last event; 0: never. */
	readonly seconds: number;
	/** Called once in each silence. */
	readonly act: () => void;
}

/** Knows how long nothing was heard of a run. */
export interface Silence {
	/** Whether a stage was reached and nothing was heard since. */
	readonly isSilent: boolean;
	add(event: SessionEvent): void;
	/** Leaves no timer behind. */
	stop(): void;
}

/**
 * Counts the time in which it is the model's turn and no event comes. Time in which a tool runs (a child's call and the
 * dialog that allows a tool are part of it), a person is asked, the conversation is compacted, or a retry waits is none:
 * there are other limits for that.
 */
export function createSilence(clock: Clock, stages: readonly SilenceStage[]): Silence {
	const ordered = stages
		.filter(({ seconds }) => seconds > 0)
		.toSorted((one, other) => one.seconds - other.seconds);
	const tools = new Set<string>();
	let compactions = 0;
	let waits = 0;
	let retrying = false;
	let heardAt = clock.now();
	let reached = 0;
	let cancel: (() => void) | undefined;
	arm();

	const isBusy = (): boolean => tools.size > 0 || compactions > 0 || waits > 0 || retrying;

	/** The timer is not moved at each event, of which there may be hundreds a second, but looks when it is over. */
	function arm(): void {
		const next = ordered[reached];
		if (next === undefined) return;
		const due = heardAt + next.seconds * 1000;
		cancel = clock.setTimeout(look, Math.max(0, due - clock.now()));
	}

	function look(): void {
		cancel = undefined;
		if (isBusy()) return;
		const next = ordered[reached];
		const isOver = next !== undefined && clock.now() - heardAt >= next.seconds * 1000;
		if (isOver) reached++;
		arm();
		if (isOver) next.act();
	}

	function note(event: SessionEvent): void {
		switch (event.type) {
			case "tool_execution_start":
				tools.add(event.toolCallId);
				return;
			case "tool_execution_end":
				tools.delete(event.toolCallId);
				return;
			case "agent_start":
				retrying = false;
				return;
			case "agent_end":
				// A loop that died sends no end for its tools.
				tools.clear();
				return;
			case "compaction_start":
				compactions++;
				return;
			case "compaction_end":
				compactions = Math.max(0, compactions - 1);
				return;
			case "auto_retry_start":
				retrying = true;
				return;
			case "auto_retry_end":
				retrying = false;
				return;
			case "waiting_start":
				waits++;
				return;
			case "waiting_end":
				waits = Math.max(0, waits - 1);
				return;
			default:
				return;
		}
	}

	return {
		get isSilent() {
			return reached > 0;
		},
		add(event) {
			note(event);
			heardAt = clock.now();
			if (reached > 0) {
				reached = 0;
				cancel?.();
				cancel = undefined;
			}
			if (cancel === undefined && !isBusy()) arm();
		},
		stop() {
			cancel?.();
			cancel = undefined;
			ordered.length = 0;
		},
	};
}

/** Listens to a session until it is stopped; see {@link createSilence}. */
export function watchSilence(
	session: ObservableSession,
	clock: Clock,
	stages: readonly SilenceStage[],
): Pick<Silence, "isSilent" | "stop"> {
	const silence = createSilence(clock, stages);
	const stopListening = listen(session, (event) => silence.add(event));
	return {
		get isSilent() {
			return silence.isSilent;
		},
		stop() {
			stopListening();
			silence.stop();
		},
	};
}
