import {
	type AgentOutcome,
	AgentRecord,
	type AgentRecordInit,
	type AgentStatus,
	type OutcomeReason,
} from "@pi-subagents/core";

/** Members of a record to set; `undefined` clears a default. */
export type TestRecordOverrides = Partial<AgentRecordInit>;

/** The most common way to each terminal status. */
const REASONS: Readonly<Partial<Record<AgentStatus, OutcomeReason>>> = {
	completed: "finished",
	steered: "turn_limit",
	aborted: "turn_limit",
	stopped: "user",
	error: "provider_error",
};

/**
 * A record with everything filled in: agent `agent-1` of type `general-purpose` completed `Test task` with the result
 * `All done.`, from 1000 to 2000, after 3 tool uses, for 500 tokens in and 500 out.
 *
 * The defaults follow the status: the outcome fits it, and a record that is queued or running has no result and no end.
 * Any member can be overridden; `undefined` clears its default. Illegal transitions of the record throw.
 */
export function createTestRecord(overrides: TestRecordOverrides = {}): AgentRecord {
	const status = "status" in overrides ? (overrides.status ?? "queued") : "completed";
	const started = status !== "queued";
	const outcome = outcomeOf(status);
	const defaults: AgentRecordInit = {
		id: "agent-1",
		type: "general-purpose",
		description: "Test task",
		status,
		createdAt: 1000,
		toolUses: 3,
		lifetimeUsage: { input: 500, output: 500, cacheRead: 0, cacheWrite: 0, cost: 0 },
		runCount: 1,
		...(started && { startedAt: 1000 }),
		...(outcome && { outcome, result: "All done.", completedAt: 2000 }),
	};
	return new AgentRecord({ ...defaults, ...overrides });
}

function outcomeOf(status: AgentStatus): AgentOutcome | undefined {
	const reason = REASONS[status];
	if (status === "queued" || status === "running" || reason === undefined) return undefined;
	return { status, reason };
}
