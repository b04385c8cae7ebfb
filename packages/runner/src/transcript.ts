import { messageText, type SessionEvent, type SessionMessage } from "@pi-subagents/core";

/** What one run's assistant messages said. Built from events, because a compaction rewrites the session's messages. */
export interface RunTranscript {
	/** Whether a turn began or anything was said. */
	readonly started: boolean;
	/** The last assistant message that ended; none if a further turn began after it. */
	readonly last: AssistantSummary | undefined;
	/** The last text that was not empty, also of a message that never ended. */
	readonly lastText: string;
	add(event: SessionEvent): void;
}

interface AssistantSummary {
	readonly text: string;
	readonly stopReason: string | undefined;
	readonly errorMessage: string | undefined;
}

/** A transcript of a run in which nothing was said yet. */
export function createTranscript(): RunTranscript {
	let started = false;
	let last: AssistantSummary | undefined;
	let endedText = "";
	let streamedText = "";
	function end(message: SessionMessage): void {
		started = true;
		last = summary(message);
		endedText = last.text || endedText;
		streamedText = "";
	}

	return {
		get started() {
			return started;
		},
		get last() {
			return last;
		},
		get lastText() {
			return streamedText.trim() || endedText;
		},
		add(event) {
			switch (event.type) {
				case "turn_start":
					started = true;
					// An earlier message is not the answer of this turn.
					last = undefined;
					return;
				case "message_start":
					if (isAssistant(event.message)) streamedText = "";
					return;
				case "message_update":
					streamedText += textDelta(event);
					return;
				case "message_end":
					if (isAssistant(event.message)) end(event.message);
					return;
				case "agent_end": {
					// A loop that failed itself says so only here.
					const final = event.messages?.at(-1);
					if (isAssistant(final) && isFailure(final) && !isFailure(last)) end(final);
					return;
				}
				default:
					return;
			}
		},
	};
}

function isFailure(message: { readonly stopReason?: string | undefined } | undefined): boolean {
	return message?.stopReason === "error" || message?.stopReason === "aborted";
}

function isAssistant(message: SessionMessage | undefined): message is SessionMessage {
	return message?.role === "assistant";
}

function summary(message: SessionMessage): AssistantSummary {
	return {
		text: messageText(message),
		stopReason: message.stopReason,
		errorMessage: message.errorMessage,
	};
}

function textDelta(event: SessionEvent & { type: "message_update" }): string {
	const part = event.assistantMessageEvent;
	return part?.type === "text_delta" && "delta" in part && typeof part.delta === "string"
		? part.delta
		: "";
}
