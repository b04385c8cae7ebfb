import { setMaxListeners } from "node:events";

/**
 * Calls `listener` when `signal` aborts, unless the returned function was called before. Any number of agents may share
 * one signal, for example that of the parent's turn; Node would warn of a leak at the eleventh.
 */
export function addAbortListener(signal: AbortSignal, listener: () => void): () => void {
	setMaxListeners(0, signal);
	signal.addEventListener("abort", listener, { once: true });
	return () => signal.removeEventListener("abort", listener);
}
