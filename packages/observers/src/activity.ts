import { emptyUsage, type Usage, type WaitingReason } from "@pi-subagents/core";

/** A tool call that is running. */
export interface ActiveTool {
	readonly toolCallId: string;
	readonly toolName: string;
	/** As the model gave them; never changed. */
	readonly args: unknown;
}

/** What an agent is doing right now, for people to look at. Unlike the record it is not kept. */
export interface AgentActivity {
	/** By tool call id, in the order in which the calls started. */
	readonly activeTools: Map<string, ActiveTool>;
	toolUses: number;
	turnCount: number;
	/** The turn limit, if there is one. */
	maxTurns?: number;
	/** The text of the assistant message that is being written, or was written last. */
	responseText: string;
	readonly lifetimeUsage: Usage;
	/** For what the agent waits, if it can do nothing else; retries of the host count as waiting for the provider. */
	waitingFor?: WaitingReason | undefined;
}

/** An activity in which nothing has happened yet. */
export function createActivity(maxTurns?: number): AgentActivity {
	return {
		activeTools: new Map(),
		toolUses: 0,
		turnCount: 0,
		...(maxTurns === undefined ? {} : { maxTurns }),
		responseText: "",
		lifetimeUsage: emptyUsage(),
	};
}
