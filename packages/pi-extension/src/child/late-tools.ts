import { setTimeout as delay } from "node:timers/promises";
import type { AgentSession, LoadExtensionsResult } from "@mariozechner/pi-coding-agent";
import type { AgentDefinition } from "@pi-subagents/core";
import type { ParentSnapshot } from "../parent-snapshot.js";
import { HOST_TOOLS, type ToolRights } from "./tool-rights.js";

/** How long tools may take that register after the start of their extension, such as those of a server. */
const PATIENCE_MS = 3000;
/** How often is looked; a session tells nobody of new tools. */
const LOOK_MS = 25;

/** What decides which tools a child should have. */
export interface ToolExpectation {
	readonly definition: Pick<AgentDefinition, "tools">;
	readonly rights: ToolRights;
	readonly parent: Pick<ParentSnapshot, "activeTools" | "toolOrigins">;
	readonly loaded: Pick<LoadExtensionsResult, "extensions">;
}

/**
 * Waits for tools that the parent has from an extension that the child has loaded, too: 0.73.1 offers a model only those
 * that are there when its run begins. Resolves with the names, of these and of those that the definition lists, that are
 * not there then.
 */
export async function awaitTools(
	session: Pick<AgentSession, "getAllTools">,
	{ definition, rights, parent, loaded }: ToolExpectation,
	signal: AbortSignal,
): Promise<readonly string[]> {
	const listed = definition.tools?.filter((name) => !name.includes("*")) ?? [];
	const wanted = new Set([...(definition.tools ? listed : parent.activeTools)]);
	const files = new Set(
		loaded.extensions.flatMap(({ path, resolvedPath }) => [path, resolvedPath]),
	);
	const expected = [...wanted].filter(
		(name) => rights.allows(name) && files.has(parent.toolOrigins.get(name) ?? ""),
	);
	const isThere = (name: string): boolean =>
		session.getAllTools().some((tool) => tool.name === name);

	const until = Date.now() + PATIENCE_MS;
	while (!expected.every(isThere) && Date.now() < until && !signal.aborted) {
		await delay(LOOK_MS, undefined, { signal }).catch(() => {});
	}
	// What the host brings is there or does not exist on this platform.
	const named = listed.filter((name) => rights.allows(name) && !HOST_TOOLS.has(name));
	return [...new Set([...expected, ...named])].filter((name) => !isThere(name));
}
