import type { AgentDefinition } from "@pi-subagents/core";
import {
	DefinitionRegistry,
	formatDiagnostic,
	type Registration,
	type RegistryEntry,
	type RuntimeDefinition,
	standardFolders,
} from "@pi-subagents/definitions";
import type { Settings } from "./settings.js";

/** What a name leads to: an agent that can be started, or a sentence for the model that says why there is none. */
export type FoundAgent =
	| { readonly entry: RegistryEntry; readonly definition: AgentDefinition }
	| { readonly problem: string };

/** The agent types of one session. */
export interface AgentCatalog {
	/** Where the files are from now on; the project's only if it is trusted. */
	open(places: {
		readonly agentDir: string;
		readonly cwd: string;
		readonly projectTrusted: boolean;
	}): Promise<void>;
	/** Puts the overrides of the settings in force. */
	configure(settings: Settings): void;
	/** Looks for files that changed; resolves with whether the model has to be told of other types than before. */
	refresh(): Promise<boolean>;
	find(name: string): FoundAgent;
	/** The types that the model is told of. */
	advertised(): readonly AgentDefinition[];
	/** All entries, also those that cannot be started. */
	readonly entries: readonly RegistryEntry[];
	/** What is wrong with agent files and was not said yet, one sentence each. */
	takeProblems(): readonly string[];
	register(definition: RuntimeDefinition, owner: string): Registration;
}

/** A catalog that has the built-in types until it is opened. */
export function createCatalog(): AgentCatalog {
	const registry = new DefinitionRegistry();
	const said = new Set<string>();
	let told = surface();

	function advertised(): readonly AgentDefinition[] {
		return registry.entries.flatMap((entry) =>
			entry.state === "enabled" && entry.definition.hidden !== true ? [entry.definition] : [],
		);
	}

	/** What the model sees of the types. */
	function surface(): string {
		return JSON.stringify(advertised().map(({ name, description }) => [name, description]));
	}

	return {
		async open({ agentDir, cwd, projectTrusted }) {
			const folders = standardFolders({ agentDir, cwd });
			registry.configure({
				folders: projectTrusted ? folders : folders.filter(({ kind }) => kind !== "project"),
			});
			await registry.reload();
		},
		configure(settings) {
			registry.configure({ overrides: settings.agents });
		},
		async refresh() {
			await registry.reload();
			const now = surface();
			const changed = now !== told;
			told = now;
			return changed;
		},
		find(name) {
			const found = registry.find(name);
			return found.found
				? { entry: found.entry, definition: found.definition }
				: { problem: found.message };
		},
		advertised,
		get entries() {
			return registry.entries;
		},
		takeProblems() {
			const lines = registry.diagnostics
				.filter(({ severity }) => severity !== "info")
				.map(formatDiagnostic)
				.filter((line) => !said.has(line));
			for (const line of lines) said.add(line);
			return lines;
		},
		register: (definition, owner) => registry.register(definition, owner),
	};
}
