import type { ModelRequest } from "./request.js";
import { type ScriptReference, scriptPosition } from "./script.js";

/** The place of a request in its script. */
export interface Place {
	readonly reference: ScriptReference;
	/** Which step it is at: 0 is the first. */
	readonly step: number;
	/** Tells the conversation from others with the same script. */
	readonly conversation: string;
}

/** What has to be remembered of conversations, because it is not in their messages. */
export interface Conversations {
	/** Where a request is, if there is a script. */
	place(request: ModelRequest): Place | undefined;
	/** The answer at this place left no assistant message behind. */
	lose(place: Place): void;
	reset(): void;
}

/** Nothing is known at first. */
export function createConversations(): Conversations {
	/** How many answers each conversation has lost. */
	const lost = new Map<string, number>();
	/** Where each session was last. */
	const lastPlaces = new Map<string, Place>();

	function fromMessages(request: ModelRequest): Place | undefined {
		const position = scriptPosition(request);
		if (!position) return undefined;
		const { reference, answers, conversation } = position;
		return { reference, step: answers + (lost.get(conversation) ?? 0), conversation };
	}

	/** A compaction may have taken the message with the script, but the agent goes on with what it was told. */
	function fromMemory(session: string): Place | undefined {
		const last = lastPlaces.get(session);
		return last && { ...last, step: last.step + 1 };
	}

	return {
		place(request) {
			const { session } = request;
			const place =
				fromMessages(request) ?? (session === undefined ? undefined : fromMemory(session));
			if (place && session !== undefined) lastPlaces.set(session, place);
			return place;
		},
		lose({ conversation }) {
			lost.set(conversation, (lost.get(conversation) ?? 0) + 1);
		},
		reset() {
			lost.clear();
			lastPlaces.clear();
		},
	};
}
