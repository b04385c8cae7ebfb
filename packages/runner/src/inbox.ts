import type { SubagentSession } from "@pi-subagents/core";

/** What became of a message to a running agent. */
export type Delivery =
	/** The session has it; the agent reads it after its current tool calls, or as a further prompt of the same run. */
	| "delivered"
	/** The session is not ready yet; it gets the message before its first prompt. */
	| "kept"
	/** The run is over; nothing was done with the message. */
	| "closed";

/**
 * The way in for messages to one run. A message that was accepted is read, or listed as unread when the run ends; it is
 * never accepted and lost.
 */
export interface Inbox {
	/** Rejects with what the session rejected with; then the message was not accepted. */
	send(message: string): Promise<Delivery>;
	/** For the run: the session takes messages from now on, those that were kept first. */
	open(session: SubagentSession): Promise<void>;
	/** For the run: resolves when the session has everything that was sent so far. */
	flushed(): Promise<void>;
	/** For the run: takes back what has not been read. */
	takeUnread(): readonly string[];
	/** For the run: nothing is accepted any more. */
	close(): void;
}

/** An inbox for one run, with messages that wait for it already. */
export function createInbox(waiting: readonly string[] = []): Inbox {
	const kept = [...waiting];
	const sending = new Set<Promise<unknown>>();
	let session: SubagentSession | undefined;
	let closed = false;

	async function hand(to: SubagentSession, message: string): Promise<void> {
		// A leading slash would make the session look for a command of that name.
		const sent = to.steer(message.startsWith("/") ? ` ${message}` : message);
		sending.add(sent);
		try {
			await sent;
		} finally {
			sending.delete(sent);
		}
	}

	return {
		async send(message) {
			if (closed) return "closed";
			if (session === undefined) {
				kept.push(message);
				return "kept";
			}
			await hand(session, message);
			return "delivered";
		},
		async open(next) {
			while (kept.length > 0) await hand(next, kept.shift() ?? "");
			session = next;
		},
		async flushed() {
			while (sending.size > 0) await Promise.allSettled(sending);
		},
		takeUnread() {
			const queued = session?.clearQueue?.();
			return [...kept.splice(0), ...(queued?.steering ?? []), ...(queued?.followUp ?? [])];
		},
		close() {
			closed = true;
		},
	};
}
