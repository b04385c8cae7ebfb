import { readFile } from "node:fs/promises";
import {
	type AgentSession,
	parseSessionEntries,
	type SessionManager,
} from "@mariozechner/pi-coding-agent";
import type { AgentRecord, SessionMessage, SubagentSession } from "@pi-subagents/core";
import type { Transcript } from "./ui/fleet/fleet-source.js";

/** The conversation of a session that is open, as it is now. */
export function openTranscript(session: SubagentSession | undefined): Transcript | undefined {
	if (session === undefined || !hasHost(session)) return undefined;
	const { messages, agent } = session.host;
	return { messages, live: agent.state.streamingMessage };
}

/** Structure, because a session may be wrapped more than once. */
function hasHost(session: object): session is { readonly host: AgentSession } {
	return "host" in session;
}

/**
 * The whole conversation of an agent whose session is closed, also what was compacted, from its file or, if its parent is
 * not stored, from memory. Rejects if the file cannot be read.
 */
export async function storedTranscript(
	{ sessionFile }: AgentRecord,
	unstored: SessionManager | undefined,
): Promise<readonly SessionMessage[]> {
	if (sessionFile === undefined) return messagesOf(unstored?.getEntries() ?? []);
	return messagesOf(parseSessionEntries(await readFile(sessionFile, "utf8")));
}

function messagesOf(entries: ReturnType<typeof parseSessionEntries>): readonly SessionMessage[] {
	return entries.flatMap((entry): readonly SessionMessage[] => {
		if (entry.type === "message") return [entry.message];
		if (entry.type !== "compaction") return [];
		return [{ role: "compactionSummary", content: entry.summary }];
	});
}
