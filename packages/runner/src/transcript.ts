import { messageText, type SessionEvent, type SessionMessage } from "@pi-subagents/core";

/** What one run's assistant messages said. Built from events, because a compaction rewrites the session's messages. */
export interface RunTranscript {
	/** The last assistant message that ended. */
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
	let last: AssistantSummary | undefined;
	let endedText = "";
	let streamedText = "";
	return {
		get last() {
			return last;
		},
		get lastText() {
			return streamedText.trim() || endedText;
		},
		add(event) {
			if (event.type === "message_start" && isAssistant(event.message)) streamedText = "";
			else if (event.type === "message_update") streamedText += textDelta(event);
			else if (event.type === "message_end" && isAssistant(event.message)) {
				last = summary(event.message);
				endedText = last.text || endedText;
				streamedText = "";
			}
		},
	};
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
