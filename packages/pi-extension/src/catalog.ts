import type { ExtensionContext } from "@mariozechner/pi-coding-agent";
import type { AgentDefinition } from "@pi-subagents/core";
import type { Settings } from "./settings.js";

/** The agent types of one session. */
export interface AgentCatalog {
	open(ctx: ExtensionContext): Promise<void>;
	refresh(): Promise<void>;
	find(
		name: string,
	):
		| { readonly definition: AgentDefinition; readonly problem?: undefined }
		| { readonly definition?: undefined; readonly problem: string };
	advertised(): readonly AgentDefinition[];
	takeProblems(): readonly string[];
	lines(): readonly string[];
}

const TEMP: readonly AgentDefinition[] = [
	{
		name: "general-purpose",
		description: "Any task; has your tools.",
		prompt: "",
		source: { kind: "builtin" },
	},
	{
		name: "Explore",
		description: "Finds things in files, read-only.",
		prompt: "Search only.",
		tools: ["read", "grep", "find", "ls"],
		source: { kind: "builtin" },
	},
];

export function createCatalog(_: { readonly settings: () => Settings }): AgentCatalog {
	return {
		async open() {},
		async refresh() {},
		find(name) {
			const definition = TEMP.find((item) => item.name.toLowerCase() === name.toLowerCase());
			return definition
				? { definition }
				: {
						problem: `There is no agent type ${JSON.stringify(name)}. Known: ${TEMP.map((item) => item.name).join(", ")}.`,
					};
		},
		advertised: () => TEMP,
		takeProblems: () => [],
		lines: () => TEMP.map((item) => item.name),
	};
}
