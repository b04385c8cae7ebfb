import type { AgentRecord, HostUsage, ObservableSession } from "@pi-subagents/core";
import { OWN_TOOLS } from "../own-tools.js";

/** Members of events that only pi 1.x has. */
interface UsageEvent {
	readonly type: string;
	readonly aborted?: boolean;
	readonly result?: { readonly usage?: HostUsage } | undefined;
	readonly message?: {
		readonly role: string;
		readonly toolName?: string;
		readonly usage?: HostUsage;
	};
}

/**
 * Adds to an agent's usage what is in no assistant message: its compactions, and what its tools say that they used. Only pi
 * 1.x tells either. Not that of this extension's tools, because agents below have records of their own.
 */
export function countExtraUsage(session: ObservableSession, record: AgentRecord): () => void {
	return session.subscribe((event) => {
		const { type, aborted, result, message }: UsageEvent = event;
		if (type === "compaction_end" && !aborted) record.addUsage(result?.usage);
		if (type !== "message_end" || message?.role !== "toolResult") return;
		if (!OWN_TOOLS.has(message.toolName ?? "")) record.addUsage(message.usage);
	});
}
