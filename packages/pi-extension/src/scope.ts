import type { AgentRecord } from "@pi-subagents/core";
import type { HandedDown } from "./parent-snapshot.js";

/** Whose agents a set of tools acts on. */
export interface Scope {
	/** The agent that has the tools; absent for the main session. */
	readonly parentId?: string;
	/** How many agents are above those that it starts: 0 for the main session. */
	readonly depth: number;
	/** The types that it may start; `["*"]` means any. */
	readonly types: readonly string[];
	/** What an agent hands on to those that it starts as it got it itself; absent for the main session. */
	readonly handedDown?: HandedDown;
}

/** The main session may start any type, and sees every agent. */
export const MAIN_SCOPE: Scope = Object.freeze({ depth: 0, types: ["*"] });

/** Whether the agent may be read, steered and stopped from here: the main session sees all, an agent its own. */
export function isInScope(scope: Scope, record: AgentRecord): boolean {
	return scope.parentId === undefined || record.parentId === scope.parentId;
}

/** Whether a type may be started from here. */
export function mayStart(scope: Scope, type: string): boolean {
	return scope.types.some((name) => name === "*") || isNamed(scope, type);
}

/** Whether a type may be started from here because it is listed by its name. */
export function isNamed(scope: Scope, type: string): boolean {
	return scope.types.some((name) => name.toLowerCase() === type.toLowerCase());
}
