import { setTimeout as delay } from "node:timers/promises";
import type { AgentSession, LoadExtensionsResult } from "@mariozechner/pi-coding-agent";
import type { AgentDefinition } from "@pi-subagents/core";
import { nearestNames, resolveTools } from "@pi-subagents/definitions";
import type { ParentSnapshot } from "../parent-snapshot.js";
import { HOST_TOOLS, type ToolRights } from "./tool-rights.js";

/** How long tools may take that register after the start of their extension, such as those of a server. */
const PATIENCE_MS = 3000;
/** How often is looked; a session tells nobody of new tools. */
const LOOK_MS = 25;

/** What decides which tools a child should have. */
export interface ToolExpectation {
	readonly definition: Pick<AgentDefinition, "tools" | "disallowedTools">;
	readonly rights: ToolRights;
	readonly parent: Pick<ParentSnapshot, "activeTools" | "toolOrigins">;
	readonly loaded: Pick<LoadExtensionsResult, "extensions">;
}

/**
 * Waits for tools that the parent has from an extension that the child has loaded, too: 0.73.1 offers a model only those
 * that are there when its run begins. Resolves with what is wrong then, as clauses: tools that are expected or listed and
 * are not there, and names in `disallowed_tools` that deny nothing because they are misspelt.
 */
export async function awaitTools(
	session: Pick<AgentSession, "getAllTools">,
	{ definition, rights, parent, loaded }: ToolExpectation,
	signal: AbortSignal,
): Promise<readonly string[]> {
	const files = new Set(
		loaded.extensions.flatMap(({ path, resolvedPath }) => [path, resolvedPath]),
	);
	const listed = definition.tools ?? [];
	const expected = [...listed, ...parent.activeTools].filter(
		(name) => rights.allows(name) && files.has(parent.toolOrigins.get(name) ?? ""),
	);
	const names = (): readonly string[] => session.getAllTools().map((tool) => tool.name);

	const until = Date.now() + PATIENCE_MS;
	let there = new Set(names());
	while (!expected.every((name) => there.has(name)) && Date.now() < until && !signal.aborted) {
		await delay(LOOK_MS, undefined, { signal }).catch(() => {});
		there = new Set(names());
	}
	// The child's own list ends at what it may use, so the parent's tells what may have been meant.
	const known = [...new Set([...there, ...parent.toolOrigins.keys()])];
	const missing = new Set(expected.filter((name) => !there.has(name)));
	const problems: string[] = [];
	for (const { list, name } of resolveTools(definition, [...there]).unknown) {
		// What the host brings is there or does not exist on this platform; what the rights forbid is not missed.
		if (HOST_TOOLS.has(name) || (list === "tools" && !isWanted(name, rights))) continue;
		missing.delete(name);
		problems.push(describe(list, name, nearestNames(name, known)[0]));
	}
	return [...[...missing].map((name) => describe("tools", name, undefined)), ...problems];
}

function isWanted(name: string, rights: ToolRights): boolean {
	return name.includes("*") || rights.allows(name);
}

function describe(list: string, name: string, near: string | undefined): string {
	const hint = near === undefined ? "" : ` (did you mean ${near}?)`;
	if (list === "disallowed_tools") {
		return `disallowed_tools names ${name}, which denies nothing${hint}`;
	}
	return name.includes("*") ? `no tool matches ${name}` : `there is no tool ${name}${hint}`;
}
