import type { AgentRecord } from "@pi-subagents/core";
import type { Clock } from "@pi-subagents/runner";
import type { AgentBook } from "../agent-book.js";

/**
 * How long an idle parent is left alone after an agent has ended while others go on. If another one ends meanwhile, the
 * time begins again, so that a parent is woken once for many agents, however long all of them take together.
 */
const GATHER_MS = 1500;
/** How long the first one waits for the others at most. */
const GATHER_MOST_MS = 15_000;

/** What deliveries stand between. */
export interface DeliveryContext {
	readonly book: AgentBook;
	readonly clock: Clock;
	/** All agents of the session. */
	readonly agents: () => readonly AgentRecord[];
	/** Whether its last run is over; one that was stopped may still be ending. */
	readonly isOver: (record: AgentRecord) => boolean;
	/** Whether a message to the parent would start a run, and disturb none. */
	readonly isParentAtRest: () => boolean;
	/** Sends one message that tells of these agents, and starts a run of the parent. */
	readonly send: (records: readonly AgentRecord[]) => void;
}

/** Tells the parent of each ended background agent once. */
export interface Deliveries {
	/** An agent ended, or the parent came to rest: sends what is due, now or after gathering. */
	check(): void;
	/** Takes what is due, which the caller then tells the parent. */
	take(): readonly AgentRecord[];
	/** Whether a background agent is queued, running or ending. */
	readonly isWaiting: boolean;
	stop(): void;
}

/**
 * What is due is not stored but derived: a background run that ended and whose end the parent does not know. A result
 * that the parent read by itself is therefore never announced, and nothing is announced twice.
 */
export function createDeliveries(context: DeliveryContext): Deliveries {
	let gathering:
		| { readonly until: number; readonly count: number; readonly cancel: () => void }
		| undefined;
	let stopped = false;

	function isBackground(record: AgentRecord): boolean {
		return context.book.get(record.id)?.background === true;
	}

	function due(): readonly AgentRecord[] {
		return context
			.agents()
			.filter(
				(record) => isBackground(record) && context.book.isUntold(record) && context.isOver(record),
			);
	}

	function isWaiting(): boolean {
		return context.agents().some((record) => isBackground(record) && !context.isOver(record));
	}

	function take(): readonly AgentRecord[] {
		const records = due();
		for (const record of records) context.book.markTold(record);
		return records;
	}

	/** Waits for others, from the start if one more has ended. */
	function gather(count: number): void {
		const { clock } = context;
		const now = clock.now();
		if (gathering !== undefined && gathering.count >= count) return;
		gathering?.cancel();
		const until = gathering?.until ?? now + GATHER_MOST_MS;
		const cancel = clock.setTimeout(send, Math.max(0, Math.min(GATHER_MS, until - now)));
		gathering = { until, count, cancel };
	}

	function send(): void {
		gathering?.cancel();
		gathering = undefined;
		if (stopped || !context.isParentAtRest()) return;
		const records = take();
		if (records.length > 0) context.send(records);
	}

	return {
		take,
		get isWaiting() {
			return isWaiting();
		},
		check() {
			if (stopped || !context.isParentAtRest()) return;
			const count = due().length;
			if (count === 0) return;
			if (isWaiting()) gather(count);
			else send();
		},
		stop() {
			stopped = true;
			gathering?.cancel();
		},
	};
}
