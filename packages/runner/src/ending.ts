import type { LimitReason, StopReason } from "@pi-subagents/core";
import { addAbortListener } from "./abort-listener.js";

/** A limit that a run has reached, and how far that went: a clause without a full stop. */
export interface ReachedLimit {
	readonly reason: LimitReason;
	readonly detail: string;
}

/** Why a run has to end before it ends by itself. */
export type EndingCause =
	| { readonly kind: "stopped"; readonly reason: StopReason }
	| ({ readonly kind: "limit" } & ReachedLimit);

/** The `reason` of an abort signal that ends a run like a limit of its own. */
export class LimitReached {
	readonly limit: ReachedLimit;
	constructor(limit: ReachedLimit) {
		this.limit = limit;
	}
}

/** Whether a run has to end, and why: the first cause counts. */
export interface Ending {
	/** Aborts when there is a cause. */
	readonly signal: AbortSignal;
	readonly cause: EndingCause | undefined;
	end(cause: EndingCause): void;
	/**
	 * The value of `work`, or a rejection with {@link EndedError} as soon as the run has to end; then `onLate` gets the
	 * value if it still comes, to release it.
	 */
	race<T>(work: Promise<T>, onLate: (value: T) => void): Promise<T>;
	/** Lets go of the caller's signal. */
	release(): void;
}

/** The run has to end; `Ending.cause` says why. */
export class EndedError extends Error {
	override readonly name = "EndedError";
}

/** Follows the caller's signal, whose `reason` may be a {@link StopReason}; any other reason counts as `parent`. */
export function createEnding(caller: AbortSignal | undefined): Ending {
	const controller = new AbortController();
	let cause: EndingCause | undefined;
	const end = (next: EndingCause): void => {
		cause ??= next;
		controller.abort();
	};
	const onCallerAbort = (): void => end(toCause(caller?.reason));

	let release = (): void => {};
	if (caller?.aborted) onCallerAbort();
	else if (caller) release = addAbortListener(caller, onCallerAbort);

	return {
		signal: controller.signal,
		get cause() {
			return cause;
		},
		end,
		race: (work, onLate) => raceWithSignal(work, controller.signal, onLate),
		release,
	};
}

function raceWithSignal<T>(
	work: Promise<T>,
	signal: AbortSignal,
	onLate: (value: T) => void,
): Promise<T> {
	return new Promise((resolve, reject) => {
		let late = false;
		const onAbort = (): void => {
			late = true;
			reject(new EndedError("The run was ended."));
		};
		signal.addEventListener("abort", onAbort, { once: true });
		if (signal.aborted) onAbort();
		work
			.then(
				(value) => (late ? onLate(value) : resolve(value)),
				(error: unknown) => reject(toError(error)),
			)
			// A failure while releasing a late value has nobody to go to.
			.catch(() => {})
			.finally(() => signal.removeEventListener("abort", onAbort));
	});
}

function toCause(reason: unknown): EndingCause {
	return reason instanceof LimitReached
		? { kind: "limit", ...reason.limit }
		: { kind: "stopped", reason: toStopReason(reason) };
}

/** What was thrown, as an `Error`. */
export function toError(thrown: unknown): Error {
	return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** The `reason` of an abort signal if it is a stop reason, else `fallback`. */
export function toStopReason(reason: unknown, fallback: StopReason = "parent"): StopReason {
	return STOP_REASONS.find((known) => known === reason) ?? fallback;
}

const STOP_REASONS: readonly StopReason[] = [
	"user",
	"turn_interrupted",
	"parent",
	"program",
	"shutdown",
];
