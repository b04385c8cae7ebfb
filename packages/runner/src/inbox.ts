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
	/** For the run: whether a message is on its way to the session. */
	readonly sending: boolean;
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
	let ready = false;
	let closed = false;

	async function hand(to: SubagentSession, message: string): Promise<void> {
		const sent = to.steer(escaped(message));
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
			if (session === undefined || !ready) {
				kept.push(message);
				return "kept";
			}
			await hand(session, message);
			return "delivered";
		},
		async open(next) {
			session = next;
			try {
				for (let first = kept[0]; first !== undefined; first = kept[0]) {
					await hand(next, first);
					kept.shift();
				}
			} catch {
				// It was accepted, so it stays: what is kept is read as a further prompt.
			}
			ready = true;
		},
		get sending() {
			return sending.size > 0;
		},
		async flushed() {
			while (sending.size > 0) await Promise.allSettled(sending);
		},
		takeUnread() {
			const queued = session?.clearQueue?.();
			const messages = [
				...(queued?.steering ?? []),
				...(queued?.followUp ?? []),
				...kept.splice(0),
			];
			return messages.map(unescaped);
		},
		close() {
			closed = true;
		},
	};
}

/** A leading slash would make the session look for a command of that name. */
function escaped(message: string): string {
	return message.startsWith("/") ? ` ${message}` : message;
}

function unescaped(message: string): string {
	return message.startsWith(" /") ? message.slice(1) : message;
}
