import type { AgentDefinition } from "@pi-subagents/core";
import {
	type DefinitionFolder,
	DefinitionRegistry,
	formatDiagnostic,
	type Registration,
	type RegistryEntry,
	type RegistryFile,
	type RegistryOptions,
	type RuntimeDefinition,
	standardFolders,
} from "@pi-subagents/definitions";
import type { Settings } from "./settings.js";

/** What a name leads to: an agent that can be started, or a sentence for the model that says why there is none. */
export type FoundAgent =
	| { readonly entry: RegistryEntry; readonly definition: AgentDefinition }
	| { readonly problem: string };

/** Where the files of a session's agent types are. */
export interface CatalogPlaces {
	readonly agentDir: string;
	readonly cwd: string;
	/** Folders of installed packages. */
	readonly packages: readonly DefinitionFolder[];
	/** Which files may count. */
	readonly accept: NonNullable<RegistryOptions["accept"]>;
	/** Why others may not, as the end of a sentence. */
	readonly whyWithheld: () => string;
}

/** The agent types of one session. */
export interface AgentCatalog {
	/** Where the files are from now on. They are read by {@link AgentCatalog.refresh}. */
	open(places: CatalogPlaces): void;
	/** Puts the overrides of the settings in force. */
	configure(settings: Settings): void;
	/** Looks for files that changed; resolves with whether the model has to be told of other types than before. */
	refresh(): Promise<boolean>;
	find(name: string): FoundAgent;
	/** The types that the model is told of. */
	advertised(): readonly AgentDefinition[];
	/** All entries, also those that cannot be started. */
	readonly entries: readonly RegistryEntry[];
	/** Agent files that do not count, because nobody agreed to them. */
	readonly withheld: readonly RegistryFile[];
	/** What is wrong with agent files and was not said yet, one sentence each. */
	takeProblems(): readonly string[];
	/**
	 * Adds a type at run time, for `owner`; what is wrong with it is in the result. It can be started at once, and the model
	 * is told of it after the next {@link AgentCatalog.refresh}; so it is when the type is unregistered.
	 */
	register(definition: RuntimeDefinition, owner: string): Registration;
}

/** A catalog that has the built-in types until it is opened. */
export function createCatalog(): AgentCatalog {
	const registry = new DefinitionRegistry();
	const said = new Set<string>();
	let told = surface();
	let whyWithheld = (): string => "";

	function advertised(): readonly AgentDefinition[] {
		return registry.entries.flatMap((entry) =>
			entry.state === "enabled" && entry.definition.hidden !== true ? [entry.definition] : [],
		);
	}

	/** What the model sees of the types. */
	function surface(): string {
		return JSON.stringify(advertised().map(({ name, description }) => [name, description]));
	}

	/** A sentence about a file that would be what is looked for, if it counted. */
	function withheldAs(name: string): string {
		const wanted = name.trim().toLowerCase();
		const file = registry.withheld.find(
			({ result }) => "name" in result && result.name.toLowerCase() === wanted,
		);
		return file === undefined ? "" : ` ${file.file} does not count: ${whyWithheld()}.`;
	}

	return {
		open({ agentDir, cwd, packages, accept, whyWithheld: why }) {
			whyWithheld = why;
			registry.configure({ folders: [...standardFolders({ agentDir, cwd }), ...packages], accept });
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
				: { problem: `${found.message}${withheldAs(name)}` };
		},
		advertised,
		get entries() {
			return registry.entries;
		},
		get withheld() {
			return registry.withheld;
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
