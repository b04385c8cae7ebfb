import {
	AgentRecord,
	type AgentRecordOptions,
	type AgentRecordSnapshot,
	isTerminal,
} from "@pi-subagents/core";

/** The record of an agent of an earlier process; one that had not ended is `interrupted`, with the text that it had. */
export function restoreRecord(
	snapshot: AgentRecordSnapshot,
	now: number,
	options: AgentRecordOptions,
): AgentRecord {
	const record = new AgentRecord(snapshot, options);
	if (isTerminal(record.status)) return record;
	const neverStarted = record.status === "queued" && { neverStarted: true };
	const outcome = { status: "error", reason: "interrupted", ...neverStarted } as const;
	record.markEnded({ outcome, result: snapshot.result }, now);
	return record;
}
