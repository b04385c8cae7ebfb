import type { AgentDefinition } from "@pi-subagents/core";
import { agentNameKey } from "./agent-name.js";
import type { Diagnostic } from "./diagnostic.js";
import { type FieldName, type FieldValues, toDefinition, toFieldValues } from "./field-values.js";
import { membersOf } from "./json-value.js";
import { readMembers } from "./read-members.js";

/** Changes to agents from one settings file. */
export interface OverrideLayer {
	/** The settings file, for messages. */
	readonly file: string;
	/** By agent name: an object of fields as in an agent file (`{ "model": "haiku" }`), or `false` to disable the agent. */
	readonly agents: Readonly<Record<string, unknown>>;
}

/** A definition with overrides applied. */
export interface OverriddenDefinition {
	readonly definition: AgentDefinition;
	/** The fields that an override decided, with the settings file that did. */
	readonly overridden: Readonly<Partial<Record<FieldName, string>>>;
	/** What disables it: an agent file or a settings file. */
	readonly disabledBy?: string;
	/** An error among them means that the definition must not be used. */
	readonly diagnostics: readonly Diagnostic[];
}

/**
 * Applies overrides in rising precedence. A field that an override has replaces the definition's, everything else stays.
 * `enabled: false` wins wherever it stands: no layer can enable what another one disabled.
 */
export function applyOverrides(
	definition: AgentDefinition,
	layers: readonly OverrideIndex[],
): OverriddenDefinition {
	const isOverridden = layers.some((layer) => findOverride(layer, definition.name) !== undefined);
	if (definition.enabled !== false && !isOverridden) {
		return { definition, overridden: {}, diagnostics: [] };
	}
	const place = definition.source.file ?? `the ${definition.source.kind} definition`;
	let values: FieldValues = toFieldValues(definition);
	let disabledBy = values.enabled === false ? place : undefined;
	const overridden: Partial<Record<FieldName, string>> = {};
	const diagnostics: Diagnostic[] = [];
	for (const layer of layers) {
		const { file } = layer;
		const override = findOverride(layer, definition.name);
		if (override === undefined) continue;
		const members = override === false ? [["enabled", false] as const] : membersOf(override);
		if (!members) {
			diagnostics.push(notAnObject(file, definition.name));
			continue;
		}
		const read = readMembers(members, values);
		diagnostics.push(...read.findings.map((finding) => ({ ...finding, file })));
		const { name, enabled, ...changes } = read.values;
		if (name !== undefined) diagnostics.push(noRename(file, definition.name));
		if (enabled === false) disabledBy ??= file;
		const isEnabled = disabledBy === undefined ? enabled : false;
		values = { ...values, ...changes, ...(isEnabled !== undefined && { enabled: isEnabled }) };
		for (const field of read.empty) values = withoutField(values, field);
		for (const field of [...Object.keys(changes), ...read.empty] as FieldName[]) {
			overridden[field] = file;
		}
		if (enabled !== undefined && enabled === isEnabled) overridden.enabled = file;
	}
	return {
		definition: toDefinition(
			{ ...values, name: definition.name, description: values.description ?? "" },
			definition.prompt,
			definition.source,
		),
		overridden,
		diagnostics,
		...(disabledBy !== undefined && { disabledBy }),
	};
}

/** A layer whose overrides can be found without regard to case. */
export interface OverrideIndex {
	readonly file: string;
	readonly agents: ReadonlyMap<string, { readonly name: string; readonly override: unknown }>;
}

/** Prepares a layer for {@link applyOverrides}. */
export function indexOverrides({ file, agents }: OverrideLayer): OverrideIndex {
	const entries = Object.entries(agents).map(
		([name, override]) => [agentNameKey(name), { name, override }] as const,
	);
	return { file, agents: new Map(entries) };
}

function findOverride({ agents }: OverrideIndex, name: string): unknown {
	return agents.get(agentNameKey(name))?.override;
}

function withoutField(values: FieldValues, field: FieldName): FieldValues {
	if (field === "name" || field === "description") return values;
	const { [field]: _, ...others } = values;
	return others;
}

function notAnObject(file: string, name: string): Diagnostic {
	return {
		severity: "error",
		file,
		what: `The override of the agent "${name}" is no object`,
		why: "it is not certain what it is to change",
		fix: 'Write fields of an agent file, such as `{ "model": "haiku" }`, or `false` to disable it',
	};
}

function noRename(file: string, name: string): Diagnostic {
	return {
		severity: "warning",
		file,
		field: "name",
		what: `The override of the agent "${name}" has a \`name\``,
		why: "an override cannot rename an agent, so it is ignored",
		fix: "Leave it out",
	};
}
