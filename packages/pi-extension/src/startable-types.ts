import type { AgentDefinition } from "@pi-subagents/core";
import type { AgentCatalog } from "./catalog.js";
import { isNamed, mayStart, type Scope } from "./scope.js";

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
