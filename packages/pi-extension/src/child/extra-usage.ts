import type { AgentRecord, ObservableSession } from "@pi-subagents/core";
import { reportedUsage } from "../host/reported-usage.js";
import { OWN_TOOLS } from "../own-tools.js";

/**
 * Adds to an agent's usage what is in no assistant message: its compactions, and what its tools say that they used. Not that
 * of this extension's tools, because agents below have records of their own.
 */
export function countExtraUsage(session: ObservableSession, record: AgentRecord): () => void {
	return session.subscribe((event) => {
		const reported = reportedUsage(event);
		if (reported && !OWN_TOOLS.has(reported.toolName ?? "")) record.addUsage(reported.usage);
	});
}
