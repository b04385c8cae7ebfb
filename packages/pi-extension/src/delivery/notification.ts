import type { AgentRecord } from "@pi-subagents/core";
import { MAX_BYTES } from "../bounded-text.js";
import { formatStats, formatStatus, plural } from "../format.js";
import { type ReportExtras, reportText } from "../report.js";

/** The type of the message that tells the parent of ended agents. */
export const NOTIFICATION_TYPE = "subagent-notification";

/** What a notification carries for its renderer; plain JSON. */
export interface NotificationDetails {
	readonly agents: readonly {
		readonly id: string;
		readonly type: string;
		readonly description: string;
		readonly status: string;
		/** How it ended, in words. */
		readonly statusText: string;
		/** What it used. */
		readonly stats: string;
		readonly text: string;
	}[];
}

/** A message for the parent's session. */
export interface Notification {
	readonly customType: string;
	readonly content: string;
	readonly display: true;
	readonly details: NotificationDetails;
}

/**
 * One message for all agents that have ended, each with its report inside a fence that the report cannot close: what a
 * child says is data and never part of this extension's own words. All reports together are bounded; the fair share of
 * one is said with the call that gives the rest.
 */
export function renderNotification(
	records: readonly AgentRecord[],
	now: number,
	extras: (record: AgentRecord) => ReportExtras,
): Notification {
	const share = Math.max(2000, Math.floor(MAX_BYTES / records.length));
	const reports = records.map((record) => fenced(reportText(record, now, extras(record), share)));
	const subject =
		records.length === 1
			? "A background agent has"
			: `${plural(records.length, "background agent")} have`;
	const failed = records.filter(({ status }) => status === "error").length;
	const failures = records.length > 1 && failed > 0 ? `, ${failed} of them with an error` : "";
	return {
		customType: NOTIFICATION_TYPE,
		content: `${subject} ended${failures}.\n\n${reports.join("\n\n")}`,
		display: true,
		details: {
			agents: records.map((record) => ({
				id: record.id,
				type: record.type,
				description: record.description,
				status: record.status,
				statusText: formatStatus(record),
				stats: formatStats(record, now),
				text: reportText(record, now, extras(record), share),
			})),
		},
	};
}

/** The text between two lines of backticks, more of them than it has in a row itself. */
export function fenced(text: string): string {
	const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
	const fence = "`".repeat(longest + 1);
	return `${fence}\n${text}\n${fence}`;
}
