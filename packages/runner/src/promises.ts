import { addAbortListener } from "./abort-listener.js";
import { toError } from "./ending.js";

/** A promise and the function that resolves it. */
export function withResolvers(): { promise: Promise<void>; resolve: () => void } {
	let resolve = (): void => {};
	const promise = new Promise<void>((done) => {
		resolve = done;
	});
	return { promise, resolve };
}

/** The end of `work`, or a rejection with the reason of `signal` when that aborts first. */
export function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
	return new Promise((resolve, reject) => {
		const stop = addAbortListener(signal, () => reject(toError(signal.reason)));
		work.then(resolve, reject).finally(stop);
	});
}
