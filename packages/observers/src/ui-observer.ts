import { addUsage, type ObservableSession, type SessionEvent } from "@pi-subagents/core";
import type { AgentActivity } from "./activity.js";
import { listen } from "./listen.js";

/**
 * Keeps an activity up to date with a session's events and calls `onUpdate` after each change; it may be called once
 * for every token, so whoever draws has to bound that. Returns the function that ends it and leaves no tool active.
 * Nothing that `onUpdate` throws reaches the session; `onError` gets it.
 */
export function subscribeUIObserver(
	session: ObservableSession,
	activity: AgentActivity,
	onUpdate: () => void = () => {},
	onError?: (error: unknown) => void,
): () => void {
	const stop = listen(
		session,
		(event) => {
			if (update(activity, event)) onUpdate();
		},
		onError,
	);
	return () => {
		stop();
		// A run that died sends no end for its tools.
		activity.activeTools.clear();
	};
}

/** Whether the event changed anything. */
function update(activity: AgentActivity, event: SessionEvent): boolean {
	switch (event.type) {
		case "tool_execution_start":
			activity.activeTools.set(event.toolCallId, {
				toolCallId: event.toolCallId,
				toolName: event.toolName,
				args: event.args,
			});
			return true;
		case "tool_execution_end":
			activity.activeTools.delete(event.toolCallId);
			activity.toolUses++;
			return true;
		case "message_start":
			if (event.message?.role !== "assistant") return false;
			activity.responseText = "";
			return true;
		case "message_update": {
			const delta = textDelta(event.assistantMessageEvent);
			activity.responseText += delta;
			return delta !== "";
		}
		case "message_end":
			if (event.message?.role !== "assistant") return false;
			addUsage(activity.lifetimeUsage, event.message.usage);
			return true;
		case "turn_end":
			activity.turnCount++;
			return true;
		case "waiting_start":
			activity.waitingFor = event.reason;
			return true;
		case "auto_retry_start":
			activity.waitingFor = "provider";
			return true;
		case "agent_start":
		case "auto_retry_end":
		case "waiting_end": {
			const waited = activity.waitingFor !== undefined;
			activity.waitingFor = undefined;
			return waited;
		}
		case "agent_end": {
			const hadTools = activity.activeTools.size > 0;
			activity.activeTools.clear();
			return hadTools;
		}
		default:
			return false;
	}
}

function textDelta(part: { readonly type: string } | undefined): string {
	return part?.type === "text_delta" && "delta" in part && typeof part.delta === "string"
		? part.delta
		: "";
}
