import type { AgentDefinition } from "@pi-subagents/core";
import { AgentFileCache, type FolderContent } from "./agent-file-cache.js";
import { BUILTIN_DEFINITIONS } from "./builtin-definitions.js";
import type { Diagnostic } from "./diagnostic.js";
import type { DefinitionFolder } from "./folder.js";
import {
	buildIndex,
	type RegistryEntry,
	type RegistryFile,
	type RegistryIndex,
} from "./index-definitions.js";
import { type Lookup, lookUp } from "./look-up.js";
import type { OverrideLayer } from "./overrides.js";
import { type RuntimeDefinition, readRuntimeDefinition } from "./runtime-definition.js";

/** Where a registry gets its definitions from. */
export interface RegistryOptions {
	/** In rising precedence among folders of one kind; kinds rise from `user` over `package` to `project`. */
	readonly folders?: readonly DefinitionFolder[];
	/** Changes from settings files, in rising precedence. */
	readonly overrides?: readonly OverrideLayer[];
	/**
	 * Which files of a kind of folder may count. One that may not is as if it were not there, so what it would replace stays
	 * in force; it is in {@link DefinitionRegistry.withheld}. Notes are not asked about.
	 * @defaultValue all of them
	 */
	readonly accept?: (file: RegistryFile, kind: DefinitionFolder["kind"]) => boolean;
	/** @defaultValue {@link BUILTIN_DEFINITIONS} */
	readonly builtins?: readonly AgentDefinition[];
}

/** What became of a registration at run time. */
export interface Registration {
	/** Whether the definition is registered; if not, the diagnostics say why. */
	readonly registered: boolean;
	readonly diagnostics: readonly Diagnostic[];
	/** Takes the definition out again; what it shadowed is back. Does nothing the second time. */
	unregister(): void;
}

/**
 * All agent definitions that there are, one in force under each name. In rising precedence: built-ins, the user's folders,
 * packages' folders, the project's folders, registrations at run time.
 *
 * The file that has precedence decides alone: if it is rejected or disabled, its name cannot be started, because what it
 * shadows may be allowed more. Everything that is read from the registry is immutable.
 */
export class DefinitionRegistry {
	readonly #cache = new AgentFileCache();
	readonly #builtins: readonly AgentDefinition[];
	readonly #runtime = new Set<AgentDefinition & { readonly owner: string }>();
	#folders: readonly DefinitionFolder[];
	#overrides: readonly OverrideLayer[];
	#accept: NonNullable<RegistryOptions["accept"]>;
	#contents: readonly FolderContent[] = [];
	#withheld: readonly RegistryFile[] = [];
	#index: RegistryIndex;
	#reloading: Promise<boolean> | undefined;
	#nextReload: Promise<boolean> | undefined;

	/** Starts with the built-ins; files are there after the first {@link reload}. */
	constructor({
		folders = [],
		overrides = [],
		accept = () => true,
		builtins = BUILTIN_DEFINITIONS,
	}: RegistryOptions = {}) {
		this.#folders = folders;
		this.#overrides = overrides;
		this.#accept = accept;
		this.#builtins = builtins;
		this.#index = this.#build();
	}

	/** One entry per name, in falling precedence; also those that cannot be started. */
	get entries(): readonly RegistryEntry[] {
		return this.#index.entries;
	}

	/** Every file of every folder and how it ended, also those that another one shadows. */
	get files(): readonly RegistryFile[] {
		return this.#index.files;
	}

	/** The files that are not accepted, as they were read; what is wrong in them is not among the diagnostics. */
	get withheld(): readonly RegistryFile[] {
		return this.#withheld;
	}

	/** Everything there is to say, each thing once. */
	get diagnostics(): readonly Diagnostic[] {
		return this.#index.diagnostics;
	}

	/**
	 * Looks at the folders again, reads files whose modification time or size changed, and resolves with whether anything
	 * changed. A call during a reload waits for one that begins afterwards, so what was on disk at the call is seen. Never
	 * rejects.
	 */
	reload(): Promise<boolean> {
		if (!this.#reloading) {
			this.#reloading = this.#reloadNow().finally(() => {
				this.#reloading = undefined;
			});
			return this.#reloading;
		}
		this.#nextReload ??= this.#reloading.then(() => {
			this.#nextReload = undefined;
			return this.reload();
		});
		return this.#nextReload;
	}

	/** Replaces overrides and what is accepted at once, and the folders from the next {@link reload} on. */
	configure({ folders, overrides, accept }: Omit<RegistryOptions, "builtins">): void {
		if (folders) this.#folders = folders;
		if (!overrides && !accept) return;
		if (overrides) this.#overrides = overrides;
		if (accept) this.#accept = accept;
		this.#index = this.#build();
	}

	/**
	 * Adds a definition that a program made. It is checked as a file would be; with an error nothing is registered. `owner`
	 * names the program in messages. The first registration of a name wins over later ones.
	 */
	register(definition: RuntimeDefinition, owner: string): Registration {
		const read = readRuntimeDefinition(definition, owner);
		if (!read.definition) {
			return { registered: false, diagnostics: read.diagnostics, unregister: () => {} };
		}
		const registered = { ...read.definition, owner };
		this.#runtime.add(registered);
		this.#index = this.#build();
		const unregister = (): void => {
			if (this.#runtime.delete(registered)) this.#index = this.#build();
		};
		return { registered: true, diagnostics: read.diagnostics, unregister };
	}

	/** The definition to start under a name, without regard to case, or a sentence that says why there is none. */
	find(name: string): Lookup {
		return lookUp(this.#index.byKey, name);
	}

	async #reloadNow(): Promise<boolean> {
		const { contents, changed } = await this.#cache.read(this.#folders);
		if (!changed) return false;
		this.#contents = contents;
		this.#index = this.#build();
		return true;
	}

	#build(): RegistryIndex {
		const withheld: RegistryFile[] = [];
		const contents = this.#contents.map((content) => {
			const files = content.files.filter(({ file, result }) => {
				if (result.outcome === "not_an_agent") return true;
				const accepted = this.#accept({ file, result }, content.folder.kind);
				if (!accepted) withheld.push({ file, result });
				return accepted;
			});
			return { ...content, files };
		});
		this.#withheld = withheld;
		return buildIndex({
			builtins: this.#builtins,
			contents,
			runtime: [...this.#runtime],
			overrides: this.#overrides,
		});
	}
}
