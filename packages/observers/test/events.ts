import type { HostEvent, HostUsage, SessionEvents } from "@pi-subagents/core";
import type { MockSession } from "@pi-subagents/test-helpers";

/** What the assistant's messages are streamed in. */
interface Update extends HostEvent {
	readonly type: "message_update";
	readonly message: { readonly role: string };
	readonly assistantMessageEvent: { readonly type: string; readonly delta: string };
}

export function toolStart(
	toolCallId: string,
	toolName = "read",
	args: unknown = {},
): SessionEvents["tool_execution_start"] {
	return { type: "tool_execution_start", toolCallId, toolName, args };
}

export function toolEnd(
	toolCallId: string,
	toolName = "read",
	isError = false,
): SessionEvents["tool_execution_end"] {
	return { type: "tool_execution_end", toolCallId, toolName, isError };
}

export function messageStart(role = "assistant"): SessionEvents["message_start"] {
	return { type: "message_start", message: { role, content: [] } };
}

export function textDelta(delta: string): Update {
	return update({ type: "text_delta", delta });
}

export function thinkingDelta(delta: string): Update {
	return update({ type: "thinking_delta", delta });
}

function update(assistantMessageEvent: Update["assistantMessageEvent"]): Update {
	return { type: "message_update", message: { role: "assistant" }, assistantMessageEvent };
}

export function messageEnd(usage?: HostUsage, role = "assistant"): SessionEvents["message_end"] {
	return { type: "message_end", message: { role, content: [], ...(usage && { usage }) } };
}

export function turnEnd(): SessionEvents["turn_end"] {
	return { type: "turn_end", message: { role: "assistant", content: [] }, toolResults: [] };
}

/** A compaction that worked, unless `members` say otherwise. */
export function compactionEnd(
	members: Partial<SessionEvents["compaction_end"]> = {},
): SessionEvents["compaction_end"] {
	return {
		type: "compaction_end",
		reason: "threshold",
		result: { tokensBefore: 5000 },
		aborted: false,
		willRetry: false,
		...members,
	};
}

/** Sends what no host should, whatever its members are. */
export function emitAnything(session: MockSession, event: unknown): void {
	// The subscribers take a `HostEvent`; this is about those that are none.
	for (const listener of session.subscribers) listener(event as HostEvent);
}
