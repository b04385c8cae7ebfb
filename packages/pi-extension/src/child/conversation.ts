import { access } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { SessionManager } from "@mariozechner/pi-coding-agent";
import type { AgentRecord } from "@pi-subagents/core";
import type { SessionRequest } from "@pi-subagents/runner";
import type { ChildContext } from "./child-session.js";

/**
 * The conversation of an agent: in a file below the parent's session file, or in memory if the parent has none. What is in
 * no file, or not whole, stays in `unstored`, so that a resume in this process goes on with all of it; `report` hears of
 * the latter, as a clause without a full stop.
 */
export function openConversation(
	{ context, cwd, record, resume }: SessionRequest<ChildContext>,
	unstored: Map<string, SessionManager>,
	report: (problem: string) => void,
): SessionManager {
	const keep = (conversation: SessionManager): void => void unstored.set(record.id, conversation);
	const { sessionFile: parentFile } = context.parent;
	if (resume) {
		const kept = unstored.get(record.id);
		if (kept !== undefined) return kept;
		if (record.sessionFile !== undefined) {
			const folder = dirname(record.sessionFile);
			return watched(SessionManager.open(record.sessionFile, folder, cwd), keep, report);
		}
		// It never started: whoever had a conversation that is lost is not resumed.
	}
	const conversation = watched(newConversation(cwd, parentFile), keep, report);
	if (parentFile === undefined) keep(conversation);
	for (const message of context.inherited) conversation.appendMessage(message);
	return conversation;
}

/** Why an agent that has run cannot go on where it was, as a clause without a full stop; nothing if it can. */
export async function findLoss(
	{ id, sessionFile }: AgentRecord,
	unstored: ReadonlyMap<string, SessionManager>,
): Promise<string | undefined> {
	if (unstored.has(id)) return undefined;
	if (sessionFile === undefined) return "its conversation was not stored";
	const isThere = await access(sessionFile).then(
		() => true,
		() => false,
	);
	return isThere
		? undefined
		: `the file of its conversation, ${sessionFile}, is not there any more`;
}

function newConversation(cwd: string, parentFile: string | undefined): SessionManager {
	if (parentFile === undefined) return SessionManager.inMemory(cwd);
	const folder = join(dirname(parentFile), basename(parentFile, extname(parentFile)), "tasks");
	const conversation = SessionManager.create(cwd, folder);
	conversation.newSession({ parentSession: parentFile });
	return conversation;
}

/** 0.73.1 goes on without a word when its file cannot be written, for example because the disk is full. */
function watched(
	conversation: SessionManager,
	keep: (conversation: SessionManager) => void,
	report: (problem: string) => void,
): SessionManager {
	const append = conversation.appendMessage.bind(conversation);
	conversation.appendMessage = (message) => {
		try {
			return append(message);
		} catch (error) {
			keep(conversation);
			const why = error instanceof Error ? error.message : String(error);
			report(`the conversation could not be stored, so it is lost when pi ends: ${why}`);
			throw error;
		}
	};
	return conversation;
}
