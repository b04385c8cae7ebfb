import { messageText, type SessionMessage } from "@pi-subagents/core";
import { oneLine } from "./format.js";

/** A conversation for reading: who said what, tools with their arguments, results cut to a line. */
export function transcriptText(messages: readonly SessionMessage[]): string {
	return messages
		.map(messageLines)
		.filter((text) => text !== "")
		.join("\n\n");
}

function messageLines(message: SessionMessage): string {
	const text = messageText(message);
	switch (message.role) {
		case "user":
			return `[User]\n${text}`;
		case "assistant":
			return [`[Assistant]`, text, ...toolCalls(message)].filter(Boolean).join("\n");
		case "toolResult":
			return `[Result] ${oneLine(text, 300)}`;
		case "compactionSummary":
			return `[Summary of what came before]\n${text || summaryOf(message)}`;
		default:
			return text === "" ? "" : `[${message.role}]\n${text}`;
	}
}

function toolCalls(message: SessionMessage): string[] {
	if (!Array.isArray(message.content)) return [];
	return message.content.flatMap((part: unknown) =>
		isToolCall(part)
			? [`-> ${part.name} ${oneLine(JSON.stringify(part.arguments ?? {}), 300)}`]
			: [],
	);
}

function isToolCall(part: unknown): part is { name: string; arguments?: unknown } {
	return (
		typeof part === "object" &&
		part !== null &&
		"type" in part &&
		part.type === "toolCall" &&
		"name" in part &&
		typeof part.name === "string"
	);
}

function summaryOf(message: SessionMessage): string {
	return "summary" in message && typeof message.summary === "string" ? message.summary : "";
}
