import type { AgentDefinition } from "@pi-subagents/core";
import { OWN_TOOLS } from "../own-tools.js";
import { matcher } from "./match-names.js";

/** The tools that both hosts have built in; `powershell` is 1.x on Windows. */
export const HOST_TOOLS: ReadonlySet<string> = new Set([
	"read",
	"bash",
	"edit",
	"write",
	"grep",
	"find",
	"ls",
	"powershell",
]);

/** The tools that a session has unless it is told otherwise. */
const DEFAULT_TOOLS = ["read", "bash", "edit", "write"];

/** What a child may use, for as long as it lives and however often its host rebuilds its tools. */
export interface ToolRights {
	allows(name: string): boolean;
	/** The host's own allowlist, where the rights can be said as plain names. */
	readonly names: readonly string[] | undefined;
}

/**
 * A definition that lists tools gets what it lists, and `disallowed_tools` always win. One that lists none gets what the
 * parent has: its active tools, and, if nobody narrowed those, also tools that the parent does not know, such as those
 * that register late. `isolated` leaves only the host's own tools. The tools of this extension are there if the agent may
 * delegate, whatever else it lists, and never otherwise.
 */
export function toolRights(
	definition: Pick<AgentDefinition, "tools" | "disallowedTools">,
	isolated: boolean,
	parentTools: readonly string[],
	delegates = false,
): ToolRights {
	const denied = matcher(definition.disallowedTools ?? []);
	const granted =
		definition.tools === undefined ? likeParent(parentTools) : matcher(definition.tools);
	const allows = (name: string): boolean => {
		if (denied(name)) return false;
		if (OWN_TOOLS.has(name)) return delegates;
		return granted(name) && (!isolated || HOST_TOOLS.has(name));
	};
	const plain = definition.tools?.every((name) => !name.includes("*"));
	const names = [...(definition.tools ?? []), ...OWN_TOOLS].filter(allows);
	return { allows, names: plain ? [...new Set(names)] : undefined };
}

function likeParent(parentTools: readonly string[]): (name: string) => boolean {
	const known = new Set(parentTools);
	const narrowed = !DEFAULT_TOOLS.every((name) => known.has(name));
	return (name) => known.has(name) || (!narrowed && !HOST_TOOLS.has(name));
}
