import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import type { AgentDefinition } from "@pi-subagents/core";
import type { AgentManager, SessionRequest } from "@pi-subagents/runner";
import { ancestorsOf, depthOf, descendantsOf } from "./agent-tree.js";
import type { SubagentsParts } from "./answers.js";
import type { AgentCatalog } from "./catalog.js";
import { type ChildContext, childLabel } from "./child/child-session.js";
import { isNamed, mayStart, type Scope } from "./scope.js";
import type { Settings } from "./settings.js";
import { createSubagents } from "./subagents.js";
import { registerTools } from "./tools/register-tools.js";

/**
 * What gives a child the four tools with a scope of its own: its definition lists the types that it may start, and it
 * is not on the last level.
 */
export function nestedDelegation(
	request: SessionRequest<ChildContext>,
	parts: SubagentsParts,
): ((pi: ExtensionAPI) => void) | undefined {
	const { record, context } = request;
	const types = context.definition.subagents ?? [];
	const depth = depthOf(parts.manager, record);
	if (types.length === 0 || depth >= parts.settings().maxDepth) return undefined;
	const { ui, mode, projectTrusted } = context.parent;
	const scope: Scope = {
		parentId: record.id,
		depth,
		types,
		handedDown: { ui, mode, projectTrusted, callers: [childLabel(request)] },
	};
	return (pi) =>
		registerTools(
			pi,
			createSubagents({ ...parts, pi, scope }),
			startableTypes(parts.catalog, scope),
		);
}

/** The types that the model of a scope is told of: hidden ones only if they are listed by name. */
export function startableTypes(
	catalog: Pick<AgentCatalog, "entries">,
	scope: Scope,
): readonly AgentDefinition[] {
	return catalog.entries.flatMap((entry) => {
		if (entry.state !== "enabled") return [];
		const { definition } = entry;
		const shown = definition.hidden !== true || isNamed(scope, definition.name);
		return shown && mayStart(scope, definition.name) ? [definition] : [];
	});
}

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
