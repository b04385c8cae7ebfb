import { type ObservableSession, type SessionEvent, toSessionEvent } from "@pi-subagents/core";

/**
 * Subscribes to the events that the libraries know. Three promises that a host's own `subscribe` does not make:
 *
 * - nothing that `handle` throws reaches the session, whose run it would break; it goes to `onError`;
 * - after unsubscribing, `handle` is not called again;
 * - unsubscribing from inside `handle` makes no other listener miss the event. Hosts loop over their live list, so the
 *   removal waits until the event has been handed to all.
 */
export function listen(
	session: ObservableSession,
	handle: (event: SessionEvent) => void,
	onError: (error: unknown) => void = ignore,
): () => void {
	let open = true;
	let handling = false;
	const remove = session.subscribe((event) => {
		const known = open ? toSessionEvent(event) : undefined;
		if (known === undefined) return;
		handling = true;
		try {
			handle(known);
		} catch (error) {
			guard(() => onError(error));
		} finally {
			handling = false;
		}
	});
	return () => {
		if (!open) return;
		open = false;
		if (handling) queueMicrotask(remove);
		else remove();
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
