import { addUsage, emptyUsage, type LimitReason, totalTokens } from "@pi-subagents/core";
import { listen } from "@pi-subagents/observers";
import type { AgentManager } from "@pi-subagents/runner";
import { ancestorsOf, descendantsOf } from "./agent-tree.js";
import type { Scope } from "./scope.js";
import type { Settings } from "./settings.js";

type Agents = Pick<AgentManager<never>, "getRecord" | "listAgents">;

/** The limits that hold for all agents of one session together; 0 means none. */
export type SessionLimits = Pick<Settings, "maxSessionTokens" | "maxSessionCost">;

/** Why an agent may start no further one, in words after which a model stops trying; `undefined` if it may. */
export function treeLimit(
	manager: Agents,
	scope: Scope,
	settings: Pick<Settings, "maxDepth" | "maxNested"> & SessionLimits,
): string | undefined {
	const used = sessionLimit(manager, settings);
	if (used !== undefined) {
		return `No agent may start or go on: ${used.detail}. Do not try again; do the rest yourself, and tell the user.`;
	}
	if (scope.parentId === undefined) return undefined;
	const { maxDepth, maxNested } = settings;
	if (scope.depth >= maxDepth) {
		return `You may start no agents: they may be nested only ${maxDepth} deep. Do not try again; do the task yourself.`;
	}
	const self = manager.getRecord(scope.parentId);
	if (self === undefined || maxNested === 0) return undefined;
	const top = ancestorsOf(manager, self).at(-1) ?? self;
	if (descendantsOf(manager, top).length < maxNested) return undefined;
	return `You may start no further agents: the limit of ${maxNested} below ${top.id} is reached, and nothing frees it. Do not try again; do the rest yourself and end with your report.`;
}

/** The limit that all agents of the session have reached together, if they have. */
export function sessionLimit(
	manager: Pick<Agents, "listAgents">,
	{ maxSessionTokens, maxSessionCost }: SessionLimits,
): { readonly reason: LimitReason; readonly detail: string } | undefined {
	if (!maxSessionTokens && !maxSessionCost) return undefined;
	const used = emptyUsage();
	for (const { lifetimeUsage } of manager.listAgents()) addUsage(used, lifetimeUsage);
	const tokens = totalTokens(used);
	if (maxSessionTokens && tokens >= maxSessionTokens) {
		const detail = `the agents of this session have used ${tokens} of ${maxSessionTokens} tokens (maxSessionTokens)`;
		return { reason: "token_limit", detail };
	}
	if (maxSessionCost && used.cost >= maxSessionCost) {
		const detail = `the agents of this session have cost $${used.cost.toFixed(4)} of $${maxSessionCost} (maxSessionCost)`;
		return { reason: "cost_limit", detail };
	}
	return undefined;
}

/**
 * Cuts agents off at the limits of the session, as at their own: each after a turn that it would go on from, so that an
 * answer which comes just then is a success. One that waits in the queue ends before it asks its model. Returns the end of
 * that.
 */
export function enforceSessionLimit<Context>(
	manager: AgentManager<Context>,
	limits: () => SessionLimits,
): () => void {
	const listeners = new Map<string, () => void>();
	const check = (id: string): void => {
		const limit = sessionLimit(manager, limits());
		if (limit !== undefined) manager.cutOff(id, limit);
	};
	return manager.subscribe((event) => {
		const { id } = event.record;
		if (event.type === "run_started") check(id);
		if (event.type === "run_ended") {
			listeners.get(id)?.();
			listeners.delete(id);
		}
		if (event.type !== "session_created") return;
		const stop = listen(event.session, (heard) => {
			if (heard.type === "turn_end" && (heard.toolResults?.length ?? 0) > 0) check(id);
		});
		listeners.set(id, stop);
	});
}
