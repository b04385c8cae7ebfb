import type { AgentRecord } from "@pi-subagents/core";
import type { AgentActivity } from "@pi-subagents/observers";
import { formatStats, formatStatus } from "./format.js";
import type { AgentView } from "./tools/tool-result.js";
import { activityText } from "./ui/activity-text.js";

/** The record as a card shows it. */
export function agentView(record: AgentRecord, now: number, activity?: AgentActivity): AgentView {
	const running = record.status === "running";
	return {
		id: record.id,
		type: record.type,
		description: record.description,
		status: record.status,
		statusText: formatStatus(record),
		stats: formatStats(record, now),
		...(running && { activity: activityText(activity) }),
	};
}
