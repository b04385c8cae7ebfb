import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import type { SessionRequest } from "@pi-subagents/runner";
import { depthOf } from "./agent-tree.js";
import type { SubagentsParts } from "./answers.js";
import { type ChildContext, childLabel } from "./child/child-session.js";
import { createLedger } from "./cost.js";
import type { Scope } from "./scope.js";
import { startableTypes } from "./startable-types.js";
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
	return (pi) => {
		const ledger = createLedger(parts.manager, record.id);
		// What it started in earlier runs was charged then.
		for (const each of parts.manager.listAgents()) ledger.settle(each);
		const subagents = createSubagents({ ...parts, pi, scope, ledger });
		registerTools(pi, subagents, startableTypes(parts.catalog, scope));
	};
}
