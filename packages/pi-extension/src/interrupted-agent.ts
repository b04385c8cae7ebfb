import { readFile } from "node:fs/promises";
import { parseSessionEntries } from "@mariozechner/pi-coding-agent";
import {
	type AgentRecordSnapshot,
	addUsage,
	emptyUsage,
	messageText,
	type SessionMessage,
} from "@pi-subagents/core";
import type { StoredAgent } from "./agent-book.js";

/**
 * An agent of a process that ended while it ran: what its last run had said and used until then is only in its own session
 * file. One whose file was never written has no conversation to go on with, so the file is not named any more.
 */
export async function withLastRun(stored: StoredAgent): Promise<StoredAgent> {
	const { record } = stored;
	if (record.status !== "running" || record.sessionFile === undefined) return stored;
	let content: string;
	try {
		content = await readFile(record.sessionFile, "utf8");
	} catch {
		const { sessionFile, ...withoutFile } = record;
		return { ...stored, record: withoutFile };
	}
	const messages = parseSessionEntries(content).flatMap((entry): readonly SessionMessage[] =>
		entry.type === "message" && Date.parse(entry.timestamp) >= (record.startedAt ?? 0)
			? [entry.message]
			: [],
	);
	return { ...stored, record: addRun(record, messages) };
}

/** The record was stored when the run began, so nothing of it is counted yet. */
function addRun(
	record: AgentRecordSnapshot,
	messages: readonly SessionMessage[],
): AgentRecordSnapshot {
	const answers = messages.filter(({ role }) => role === "assistant");
	const lifetimeUsage = emptyUsage();
	addUsage(lifetimeUsage, record.lifetimeUsage);
	for (const { usage } of answers) addUsage(lifetimeUsage, usage);
	const tools = messages.filter(({ role }) => role === "toolResult").length;
	const result = answers.map(messageText).findLast((text) => text !== "");
	return {
		...record,
		...(result !== undefined && { result }),
		turnCount: record.turnCount + answers.length,
		toolUses: record.toolUses + tools,
		lifetimeUsage,
	};
}
