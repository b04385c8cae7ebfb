import type { AgentRecord } from "@pi-subagents/core";
import { oneLine } from "./format.js";

/** What went wrong in agents without ending them, such as an extension that failed. */
export interface Warnings {
	/** Whether it was not known yet for agents of this type: a fault that every agent has is said once. */
	add(record: AgentRecord, problem: string): boolean;
	/** The warnings about one agent, as sentences. */
	of(record: AgentRecord): readonly string[];
}

/** How many warnings about one agent are kept. */
const MOST = 10;

/** No warnings yet. */
export function createWarnings(): Warnings {
	const said = new Set<string>();
	const byAgent = new Map<string, Set<string>>();
	return {
		add({ id, type }, problem) {
			const line = oneLine(problem, 300);
			const lines = byAgent.get(id) ?? new Set();
			if (lines.size < MOST) lines.add(line);
			byAgent.set(id, lines);
			const key = JSON.stringify([type, line]);
			if (said.has(key)) return false;
			said.add(key);
			return true;
		},
		of: ({ id }) =>
			[...(byAgent.get(id) ?? [])].map((line) => `${line[0]?.toUpperCase()}${line.slice(1)}.`),
	};
}
