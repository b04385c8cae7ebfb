import { AsyncLocalStorage } from "node:async_hooks";

/**
 * Tells an activation of this extension that it happens inside a child session, where it must register nothing: it would
 * take the parent's place and let children start children without limit.
 *
 * The storage lives under a global symbol, because 0.73.1 evaluates this module anew for every session.
 */
const KEY = Symbol.for("@pi-subagents/pi-extension:child");

type MarkedGlobal = typeof globalThis & { [KEY]?: AsyncLocalStorage<boolean> };

function storage(): AsyncLocalStorage<boolean> {
	const marked = globalThis as MarkedGlobal;
	marked[KEY] ??= new AsyncLocalStorage();
	return marked[KEY];
}

/** Runs `work`, in which extensions of a child are loaded, or run. */
export function asChild<T>(work: () => Promise<T>): Promise<T> {
	return storage().run(true, work);
}

/** Runs `work`, which is for the main session, also from inside {@link asChild}. */
export function asMain<T>(work: () => T): T {
	// Not `exit`, which turns the hooks of all promises off and on again.
	return storage().run(false, work);
}

/** Whether the caller runs inside {@link asChild}. */
export function isInsideChild(): boolean {
	return storage().getStore() === true;
}
