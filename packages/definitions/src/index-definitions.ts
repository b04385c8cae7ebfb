import type { AgentDefinition } from "@pi-subagents/core";
import type { FolderContent } from "./agent-file-cache.js";
import type { AgentFileResult } from "./agent-file-result.js";
import { agentNameKey } from "./agent-name.js";
import { type Diagnostic, quote } from "./diagnostic.js";
import type { FieldName } from "./field-values.js";
import { BUILTIN, type Candidate, isSameFolder, nameTaken, shadowing } from "./name-conflicts.js";
import { nearestNames } from "./nearest-names.js";
import {
	applyOverrides,
	indexOverrides,
	type OverrideIndex,
	type OverrideLayer,
} from "./overrides.js";

/** What is in force under one name. */
export type RegistryEntry = {
	readonly name: string;
	/** The agent file that is in force; absent if it is built in or was registered. */
	readonly file?: string;
	/** Fields that settings decided, with the settings file that did. */
	readonly overridden: Readonly<Partial<Record<FieldName, string>>>;
	/** Where else the name is defined, in falling precedence: files, or what registered it. */
	readonly shadowed: readonly string[];
	/** What there is to say about it. */
	readonly diagnostics: readonly Diagnostic[];
} & (
	| { readonly state: "enabled"; readonly definition: AgentDefinition }
	| {
			readonly state: "disabled";
			readonly definition: AgentDefinition;
			/** The agent file or settings file that says so. */
			readonly disabledBy: string;
	  }
	/** The definition is there, but it cannot be used; the diagnostics say why. */
	| { readonly state: "rejected" }
);

/** One file of a folder, and how it ended, given all other files. */
export interface RegistryFile {
	readonly file: string;
	readonly result: AgentFileResult;
}

/** Everything that a registry knows, immutable. */
export interface RegistryIndex {
	readonly entries: readonly RegistryEntry[];
	readonly byKey: ReadonlyMap<string, RegistryEntry>;
	readonly files: readonly RegistryFile[];
	readonly diagnostics: readonly Diagnostic[];
}

/** What an index is made of. */
export interface IndexSources {
	readonly builtins: readonly AgentDefinition[];
	readonly contents: readonly FolderContent[];
	readonly runtime: readonly (AgentDefinition & { readonly owner: string })[];
	readonly overrides: readonly OverrideLayer[];
}

const RANK = { user: 0, package: 1, project: 2 };

/** Decides what is in force under each name. The same sources give the same index, in the same order. */
export function buildIndex(sources: IndexSources): RegistryIndex {
	const contents = sources.contents
		.map((content, index) => ({ ...content, index }))
		.sort((a, b) => RANK[b.folder.kind] - RANK[a.folder.kind] || b.index - a.index);
	const files = realFiles(contents);
	const byName = new Map<string, Candidate[]>();
	for (const candidate of [
		...sources.runtime.map(fromRuntime),
		...files.flatMap(fromFile),
		...sources.builtins.map(fromBuiltin),
	]) {
		const key = agentNameKey(candidate.name);
		const others = byName.get(key);
		if (others) others.push(candidate);
		else byName.set(key, [candidate]);
	}

	const overrides = sources.overrides.map(indexOverrides);
	const byKey = new Map<string, RegistryEntry>();
	const about = new Map<string, readonly Diagnostic[]>();
	const losers = new Set<string>();
	for (const [key, candidates] of byName) {
		const [winner, ...others] = candidates;
		if (!winner) continue;
		const sameFolder = others.filter((other) => isSameFolder(winner, other));
		for (const loser of sameFolder) {
			losers.add(loser.place);
			about.set(loser.place, [nameTaken(loser, winner)]);
		}
		const entry = toEntry(winner, others, overrides);
		byKey.set(key, entry);
		about.set(
			winner.place,
			entry.diagnostics.filter((item) => !winner.diagnostics.includes(item)),
		);
	}

	const registryFiles = files.map(({ file, result }): RegistryFile => {
		const diagnostics = [...result.diagnostics, ...(about.get(file) ?? [])];
		const own = diagnostics.filter((diagnostic) => diagnostic.file === file);
		return { file, result: withDiagnostics(result, own, losers.has(file)) };
	});
	const entries = [...byKey.values()];
	const problems = contents.flatMap(({ problem }) => problem ?? []);
	const diagnostics = [
		...problems,
		...registryFiles.flatMap(({ result }) => result.diagnostics),
		...entries.flatMap((entry) => entry.diagnostics),
		...unknownOverrides(overrides, byKey),
	];
	return { entries, byKey, files: registryFiles, diagnostics: [...new Set(diagnostics)] };
}

interface PlacedFile extends RegistryFile {
	readonly folder: string;
}

/** Files in falling precedence; one that several links lead to counts once. */
function realFiles(contents: readonly FolderContent[]): readonly PlacedFile[] {
	const seen = new Set<string>();
	return contents.flatMap(({ folder, files }) =>
		files.flatMap(({ file, realPath, result }) => {
			if (seen.has(realPath)) return [];
			seen.add(realPath);
			return [{ file, result, folder: folder.path }];
		}),
	);
}

function fromFile({ file, folder, result }: PlacedFile): readonly Candidate[] {
	if (result.outcome === "not_an_agent") return [];
	const { name, diagnostics } = result;
	const definition = result.outcome === "reject" ? undefined : result.definition;
	return [
		{ name, place: file, folder, isFile: true, diagnostics, ...(definition && { definition }) },
	];
}

function fromRuntime({ owner, ...definition }: IndexSources["runtime"][number]): Candidate {
	return { name: definition.name, place: owner, isFile: false, definition, diagnostics: [] };
}

function fromBuiltin(definition: AgentDefinition): Candidate {
	return { name: definition.name, place: BUILTIN, isFile: false, definition, diagnostics: [] };
}

function toEntry(
	winner: Candidate,
	others: readonly Candidate[],
	overrides: readonly OverrideIndex[],
): RegistryEntry {
	const shadowed = others.map(({ place }) => place);
	const told = [...winner.diagnostics, ...shadowing(winner, others)];
	const file = winner.isFile ? { file: winner.place } : {};
	const nothing = { name: winner.name, ...file, overridden: {}, shadowed };
	if (!winner.definition) return { ...nothing, state: "rejected", diagnostics: told };
	const applied = applyOverrides(winner.definition, overrides);
	const { definition, overridden, disabledBy } = applied;
	const diagnostics = [...told, ...applied.diagnostics];
	if (applied.diagnostics.some(({ severity }) => severity === "error")) {
		return { ...nothing, overridden, state: "rejected", diagnostics };
	}
	const common = { name: definition.name, ...file, overridden, shadowed, definition, diagnostics };
	return disabledBy === undefined
		? { ...common, state: "enabled" }
		: { ...common, state: "disabled", disabledBy };
}

function withDiagnostics(
	result: AgentFileResult,
	diagnostics: readonly Diagnostic[],
	lost: boolean,
): AgentFileResult {
	if (result.outcome === "not_an_agent") return { ...result, diagnostics };
	if (lost || result.outcome === "reject") {
		return { outcome: "reject", name: result.name, diagnostics };
	}
	const warned = diagnostics.some(({ severity }) => severity === "warning");
	return { ...result, outcome: warned ? "load_with_warning" : "load", diagnostics };
}

function unknownOverrides(
	layers: readonly OverrideIndex[],
	byKey: ReadonlyMap<string, RegistryEntry>,
): readonly Diagnostic[] {
	const names = [...byKey.values()].map((entry) => entry.name);
	return layers.flatMap(({ file, agents }) =>
		[...agents].flatMap(([key, { name }]): readonly Diagnostic[] => {
			if (byKey.has(key)) return [];
			const [near] = nearestNames(name, names);
			const what = `There is an override of the agent ${quote(name)}`;
			const fix =
				near === undefined ? "Leave it out" : `Write ${quote(near)} if that is what you mean`;
			return [{ severity: "warning", file, what, why: "no agent has that name", fix }];
		}),
	);
}
