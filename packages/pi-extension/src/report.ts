import { type AgentRecord, isPartial } from "@pi-subagents/core";
import { boundText, explainBounds, MAX_BYTES } from "./bounded-text.js";
import { formatStats, formatStatus, oneLine } from "./format.js";

/** What else the parent is told about a run. */
export interface ReportExtras {
	/** Messages that the agent never read. */
	readonly unreadMessages: readonly string[];
	/** What became of the run's workspace. */
	readonly workspace?: string | undefined;
	/** Sentences about the call, such as a parameter without effect. */
	readonly notes?: readonly string[];
}

/**
 * What the parent's model is told about an agent: the same words in tool results and notifications, whatever the
 * outcome. The first line is always `agent_id: <id>`.
 */
export function reportText(
	record: AgentRecord,
	now: number,
	extras: ReportExtras = { unreadMessages: [] },
	maxBytes: number = MAX_BYTES,
): string {
	return [
		`agent_id: ${record.id}`,
		headline(record, now),
		...(isLasting(record) ? [DO_NOT_RETRY] : []),
		...(extras.notes ?? []).map((note) => `Note: ${note}`),
		...unread(extras.unreadMessages, record.id),
		"",
		body(record, 0, maxBytes),
		...(extras.workspace ? ["", extras.workspace] : []),
	].join("\n");
}

const DO_NOT_RETRY =
	"Another try would fail in the same way: do not start agents with this model again before the user has mended that.";

/** Whether the provider refused for a reason that the next agent would meet as well. */
function isLasting({ outcome }: AgentRecord): boolean {
	if (outcome?.reason !== "provider_error") return false;
	return /\b40[123]\b|quota|billing|credit|payment|api.?key|unauthorized|forbidden/i.test(
		outcome.detail ?? "",
	);
}

/** One line: who, how it ended or where it is, what it used. */
export function headline(record: AgentRecord, now: number): string {
	const stats = formatStats(record, now);
	const name = `${record.type} "${oneLine(record.description, 60)}"`;
	return `${name}: ${formatStatus(record)}${stats ? ` (${stats})` : ""}.`;
}

/** The agent's text from a position on, labelled if it is not a whole report. */
export function body(record: AgentRecord, from: number, maxBytes: number = MAX_BYTES): string {
	const text = record.result ?? "";
	if (record.outcome === undefined) return "It has not finished yet.";
	if (text === "") {
		return record.outcome.neverStarted
			? "It never started, so there is no report."
			: "It ended without any text.";
	}
	const piece = explainBounds(boundText(text, from, maxBytes), record.id);
	if (record.outcome.reason === "no_report") {
		return `Its last message had no text; this is the last text of the run:\n\n${piece}`;
	}
	return isPartial(record.outcome) ? `Partial text, not a finished report:\n\n${piece}` : piece;
}

function unread(messages: readonly string[], id: string): string[] {
	if (messages.length === 0) return [];
	const quoted = messages.map((message) => JSON.stringify(oneLine(message, 80))).join(", ");
	return [`Not read before the end: ${quoted}. Resuming ${id} delivers it.`];
}
