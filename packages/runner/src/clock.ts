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

/** Resolves after `ms` milliseconds, or at once when `signal` aborts. Leaves no timer behind. */
export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
	return new Promise((resolve) => {
		if (signal.aborted) return resolve();
		const cancel = clock.setTimeout(done, ms);
		signal.addEventListener("abort", done, { once: true });
		function done(): void {
			cancel();
			signal.removeEventListener("abort", done);
			resolve();
		}
	});
}
