/** A promise that the test settles. */
export interface Deferred<T> {
	readonly promise: Promise<T>;
	readonly resolve: (value: T) => void;
	readonly reject: (error: Error) => void;
}

export function deferred<T = void>(): Deferred<T> {
	let resolve: Deferred<T>["resolve"] = () => {};
	let reject: Deferred<T>["reject"] = () => {};
	const promise = new Promise<T>((onResolve, onReject) => {
		resolve = onResolve;
		reject = onReject;
	});
	return { promise, resolve, reject };
}

/** Lets everything go on that only waits for promises. */
export function promisesSettled(): Promise<void> {
	return new Promise((resolve) => setImmediate(resolve));
}
