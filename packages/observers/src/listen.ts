import { type ObservableSession, type SessionEvent, toSessionEvent } from "@pi-subagents/core";

/**
 * Subscribes to the events that the libraries know. Three promises that a host's own `subscribe` does not make:
 *
 * - nothing that `handle` throws reaches the session, whose run it would break; it goes to `onError`;
 * - after unsubscribing, `handle` is not called again;
 * - unsubscribing while an event is handed out, by whichever listener, makes no other listener miss it. Hosts loop over
 *   their live list, so the removal waits for the next microtask.
 */
export function listen(
	session: ObservableSession,
	handle: (event: SessionEvent) => void,
	onError: (error: unknown) => void = ignore,
): () => void {
	let open = true;
	const remove = session.subscribe((event) => {
		if (!open) return;
		try {
			const known = toSessionEvent(event);
			if (known !== undefined) handle(known);
		} catch (error) {
			guard(() => onError(error));
		}
	});
	return () => {
		if (!open) return;
		open = false;
		queueMicrotask(remove);
	};
}

function guard(action: () => void): void {
	try {
		action();
	} catch {
		// The error handler failed as well; there is nobody left to tell.
	}
}

function ignore(): void {}
