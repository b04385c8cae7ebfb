import type {
	AgentRecord,
	CompactionReason,
	ObservableSession,
	SessionEvent,
} from "@pi-subagents/core";
import { listen } from "./listen.js";

/** A compaction that worked. */
export interface Compaction {
	readonly reason: CompactionReason;
	/** Size of the context before it, in tokens. */
	readonly tokensBefore: number;
}

/** What else to do while a record is kept up to date. */
export interface RecordObserverOptions {
	/** Called after a compaction was counted. */
	readonly onCompact?: (record: AgentRecord, compaction: Compaction) => void;
	/** Gets what `onCompact` throws, which never reaches the session. */
	readonly onError?: (error: unknown) => void;
}

/**
 * Keeps the statistics of a record up to date with a session's events: tool calls and turns that ended, usage of
 * assistant messages, compactions that worked. Returns the function that ends it.
 */
export function subscribeRecordObserver(
	session: ObservableSession,
	record: AgentRecord,
	options: RecordObserverOptions = {},
): () => void {
	return listen(session, (event) => update(record, event, options), options.onError);
}

function update(record: AgentRecord, event: SessionEvent, options: RecordObserverOptions): void {
	switch (event.type) {
		case "tool_execution_end":
			record.addToolUse();
			return;
		case "turn_end":
			record.addTurn();
			return;
		case "message_end":
			if (event.message?.role === "assistant") record.addUsage(event.message.usage);
			return;
		case "compaction_end":
			if (event.aborted || !event.result) return;
			record.addCompaction();
			options.onCompact?.(record, {
				reason: event.reason,
				tokensBefore: event.result.tokensBefore,
			});
			return;
		default:
			return;
	}
}
