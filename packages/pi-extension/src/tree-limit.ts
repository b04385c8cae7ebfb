import type { AgentManager } from "@pi-subagents/runner";
import { ancestorsOf, descendantsOf } from "./agent-tree.js";
import type { Scope } from "./scope.js";
import type { Settings } from "./settings.js";

/** Why an agent may start no further one, in words after which a model stops trying; `undefined` if it may. */
export function treeLimit(
	manager: Pick<AgentManager<never>, "getRecord" | "listAgents">,
	scope: Scope,
	{ maxDepth, maxNested }: Pick<Settings, "maxDepth" | "maxNested">,
): string | undefined {
	if (scope.parentId === undefined) return undefined;
	if (scope.depth >= maxDepth) {
		return `You may start no agents: they may be nested only ${maxDepth} deep. Do not try again; do the task yourself.`;
	}
	const self = manager.getRecord(scope.parentId);
	if (self === undefined || maxNested === 0) return undefined;
	const top = ancestorsOf(manager, self).at(-1) ?? self;
	if (descendantsOf(manager, top).length < maxNested) return undefined;
	return `You may start no further agents: the limit of ${maxNested} below ${top.id} is reached, and nothing frees it. Do not try again; do the rest yourself and end with your report.`;
}
