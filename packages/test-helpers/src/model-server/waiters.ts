import type { ModelRequest } from "./request.js";

/** Those who wait for a request. */
export interface Waiters {
	/** The next request that the predicate accepts; rejects once the waiters are closed. */
	wait(predicate: (request: ModelRequest) => boolean): Promise<ModelRequest>;
	/** A request came. */
	tell(request: ModelRequest): void;
	/** No request will come any more. */
	close(): void;
}

interface Waiter {
	readonly predicate: (request: ModelRequest) => boolean;
	readonly resolve: (request: ModelRequest) => void;
	readonly reject: (error: Error) => void;
}

/** Nobody waits at first. */
export function createWaiters(): Waiters {
	const waiting = new Set<Waiter>();
	let closed = false;
	return {
		wait(predicate) {
			if (closed) return Promise.reject(closedError());
			return new Promise((resolve, reject) => waiting.add({ predicate, resolve, reject }));
		},
		tell(request) {
			for (const waiter of waiting) {
				if (!waiter.predicate(request)) continue;
				waiting.delete(waiter);
				waiter.resolve(request);
			}
		},
		close() {
			closed = true;
			for (const waiter of waiting) waiter.reject(closedError());
			waiting.clear();
		},
	};
}

function closedError(): Error {
	return new Error("The model server was closed before such a request came.");
}
