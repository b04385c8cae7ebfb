import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import type { AgentDefinition } from "@pi-subagents/core";
import type { SessionRequest } from "@pi-subagents/runner";
import { depthOf } from "./agent-tree.js";
import type { SubagentsParts } from "./answers.js";
import type { AgentCatalog } from "./catalog.js";
import { type ChildContext, childLabel } from "./child/child-session.js";
import { isNamed, mayStart, type Scope } from "./scope.js";
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
	const { ui, mode, projectTrusted, sharedTools } = context.parent;
	const scope: Scope = {
		parentId: record.id,
		depth,
		types,
		handedDown: { ui, mode, projectTrusted, sharedTools, callers: [childLabel(request)] },
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
