import type { AgentDefinition } from "@pi-subagents/core";
import { matchesPattern } from "./match-pattern.js";
import { isProbablyTypo, nearestNames } from "./nearest-names.js";
import { sameTool } from "./tool-names.js";

/** An entry of a tools list that no available tool matches. */
export interface UnknownTool {
	readonly list: "tools" | "disallowed_tools";
	readonly name: string;
	/** Tools that may have been meant, best first. */
	readonly nearest: readonly string[];
}

/** The tools that an agent gets. */
export interface ResolvedTools {
	/** In the order of the available tools. */
	readonly granted: readonly string[];
	/** To be told to people: probably misspelt, or their extension is not there. */
	readonly unknown: readonly UnknownTool[];
}

/**
 * The available tools that a definition allows. No `tools` means all of them, an empty list none; `disallowedTools` always
 * wins and does not care about case. Never a tool that is not available, and never one that the list does not name.
 */
export function resolveTools(
	{ tools, disallowedTools = [] }: Pick<AgentDefinition, "tools" | "disallowedTools">,
	available: readonly string[],
): ResolvedTools {
	const isDenied = (name: string): boolean =>
		disallowedTools.some((entry) => matchesPattern(entry.toLowerCase(), name.toLowerCase()));
	const isAllowed = (name: string): boolean =>
		tools === undefined || tools.some((entry) => matchesPattern(entry, name));
	const granted = available.filter((name) => isAllowed(name) && !isDenied(name));
	const notFound = (tools ?? []).filter(
		(entry) => entry !== "*" && !available.some((name) => matchesPattern(entry, name)),
	);
	// Denying a tool that is not there is harmless; misspelling one that is there is not.
	const misspelt = disallowedTools.filter(
		(entry) =>
			!entry.includes("*") &&
			!available.some((name) => name.toLowerCase() === sameTool(entry).toLowerCase()) &&
			granted.some((name) => isProbablyTypo(entry.toLowerCase(), name.toLowerCase())),
	);
	const toUnknown =
		(list: UnknownTool["list"]) =>
		(name: string): UnknownTool => {
			return { list, name, nearest: nearestNames(name, available) };
		};
	return {
		granted,
		unknown: [...notFound.map(toUnknown("tools")), ...misspelt.map(toUnknown("disallowed_tools"))],
	};
}
