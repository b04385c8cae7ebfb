import type { ChatMessage } from "./request.js";

/**
 * What providers would refuse about a conversation, in a sentence, or `undefined`: every tool call needs its result
 * directly after the message that made it, and every result its call.
 */
export function historyProblem(messages: readonly ChatMessage[]): string | undefined {
	let open = new Set<string>();
	for (const message of messages) {
		if (message.role === "tool") {
			const id = message.tool_call_id ?? "";
			if (!open.delete(id)) return `The tool result "${id}" does not follow a call with that id.`;
			continue;
		}
		const [missing] = open;
		if (missing !== undefined) return unanswered(missing);
		open = new Set((message.tool_calls ?? []).map((call) => call.id));
	}
	const [missing] = open;
	return missing === undefined ? undefined : unanswered(missing);
}

function unanswered(id: string): string {
	return `The tool call "${id}" has no result directly after it.`;
}
