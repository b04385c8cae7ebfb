import { addAbortListener } from "./abort-listener.js";

/** Time as the runner sees it, so that tests can hold it still. */
export interface Clock {
	/** Milliseconds since the epoch. */
	now(): number;
	/** Calls back once after `ms` milliseconds; the returned function cancels it. */
	setTimeout(callback: () => void, ms: number): () => void;
}

/** The real time. */
export const systemClock: Clock = {
	now: () => Date.now(),
	setTimeout(callback, ms) {
		const timer = setTimeout(callback, ms);
		return () => clearTimeout(timer);
	},
};

/** A wait that can be cut short. */
export interface Pause {
	/** Resolves when the time is over, or the pause is ended. */
	readonly over: Promise<void>;
	/** Leaves no timer behind. May be called twice. */
	end(): void;
}

/** Waits `ms` milliseconds. Every run has several, so it makes do without an abort signal, whose errors are dear. */
export function startPause(clock: Clock, ms: number): Pause {
	let end = (): void => {};
	const over = new Promise<void>((resolve) => {
		const cancel = clock.setTimeout(resolve, ms);
		end = () => {
			cancel();
			resolve();
		};
	});
	return { over, end };
}

/** A pause that begins when the run is told to end; before that it never is over by itself. */
export function startGrace(ended: AbortSignal, clock: Clock, ms: number): Pause {
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

/** `1 second`, `0.5 seconds` */
export function inSeconds(seconds: number | undefined): string {
	return `${seconds} second${seconds === 1 ? "" : "s"}`;
}
