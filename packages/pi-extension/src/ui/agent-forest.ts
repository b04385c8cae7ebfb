import type { AgentRecord } from "@pi-subagents/core";

/** An agent and how many agents of the list are above it. */
export interface ForestRow {
	readonly record: AgentRecord;
	readonly depth: number;
}

/** All agents, each below the one that started it if that is in the list, too; otherwise in the order of the list. */
export function agentForest(records: readonly AgentRecord[]): readonly ForestRow[] {
	const ids = new Set(records.map(({ id }) => id));
	const children = new Map<string, AgentRecord[]>();
	const roots: AgentRecord[] = [];
	for (const record of records) {
		const { parentId } = record;
		if (parentId === undefined || !ids.has(parentId)) roots.push(record);
		else children.set(parentId, [...(children.get(parentId) ?? []), record]);
	}
	const rows: ForestRow[] = [];
	const add = (record: AgentRecord, depth: number): void => {
		rows.push({ record, depth });
		const below = children.get(record.id) ?? [];
		// So that agents that stand above themselves, as only a broken file can say, are not followed for ever.
		children.delete(record.id);
		for (const child of below) add(child, depth + 1);
	};
	for (const root of roots) add(root, 0);
	return rows;
}
