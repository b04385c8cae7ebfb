import type { HostEvent, HostUsage } from "@pi-subagents/core";

/** What an event says was used beside the answers of the model. */
export interface ReportedUsage {
	/** The tool that used it; absent for a compaction. */
	readonly toolName?: string;
	readonly usage: HostUsage;
}

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

/** The usage of a compaction, or the usage that a tool reports; 0.73.1 tells of neither. */
export function reportedUsage(event: HostEvent): ReportedUsage | undefined {
	const { type, aborted, result, message }: UsageEvent = event;
	if (type === "compaction_end") {
		return aborted !== true && result?.usage ? { usage: result.usage } : undefined;
	}
	if (type !== "message_end" || message?.role !== "toolResult" || !message.usage) return undefined;
	return { toolName: message.toolName ?? "", usage: message.usage };
}
