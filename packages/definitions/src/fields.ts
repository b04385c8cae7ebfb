import type { FieldName } from "./field-values.js";

/** How the value of a field is written. */
export type FieldType =
	| "name"
	| "text"
	| "color"
	| "tools"
	| "names"
	| "agents"
	| "models"
	| "thinking"
	| "prompt_mode"
	| "isolation"
	| "locks"
	| "boolean"
	| "integer"
	| "number";

/** What is known about a field. */
export interface FieldSpec {
	readonly type: FieldType;
	/** It bounds what the agent may do: if it cannot be read with certainty, the file narrows or is rejected. */
	readonly rights: boolean;
}

const RIGHTS = true;
const FIELDS: Readonly<Record<FieldName, FieldSpec>> = {
	name: field("name"),
	description: field("text"),
	display_name: field("text"),
	color: field("color"),
	tools: field("tools", RIGHTS),
	disallowed_tools: field("tools", RIGHTS),
	extensions: field("names", RIGHTS),
	exclude_extensions: field("names", RIGHTS),
	skills: field("names"),
	model: field("models"),
	thinking: field("thinking"),
	max_turns: field("integer"),
	grace_turns: field("integer"),
	max_seconds: field("number"),
	max_tokens: field("integer"),
	max_cost: field("number"),
	tool_seconds: field("number"),
	stall_seconds: field("number"),
	prompt_mode: field("prompt_mode"),
	inherit_context: field("boolean"),
	isolated: field("boolean", RIGHTS),
	isolation: field("isolation", RIGHTS),
	run_in_background: field("boolean"),
	subagents: field("agents", RIGHTS),
	enabled: field("boolean", RIGHTS),
	hidden: field("boolean"),
	locked: field("locks", RIGHTS),
};

function field(type: FieldType, rights = false): FieldSpec {
	return { type, rights };
}

/** All fields, in the order in which a new file gets them. */
export const FIELD_NAMES: readonly FieldName[] = Object.freeze(Object.keys(FIELDS) as FieldName[]);

/** What is known about a field. */
export function fieldSpec(name: FieldName): FieldSpec {
	return FIELDS[name];
}

/** How much a value may span: text over any lines, a list, or a word on one line. */
export function fieldShape(name: FieldName): "text" | "list" | "word" {
	const { type } = FIELDS[name];
	if (type === "name" || type === "text" || type === "color") return "text";
	return ["tools", "names", "agents", "models", "locks"].includes(type) ? "list" : "word";
}

/** A key of a header that means one of our fields. */
export interface KnownKey {
	readonly name: FieldName;
	/** The key says the opposite: `disabled: true`. */
	readonly negated: boolean;
}

// Other tools' names for the same thing, as `foldKey` makes them. Spellings of our own names need no entry.
const SYNONYMS: ReadonlyMap<string, FieldName> = new Map([
	["allowedtools", "tools"],
	["deniedtools", "disallowed_tools"],
	["excludetools", "disallowed_tools"],
	["excludedtools", "disallowed_tools"],
	["inheritextensions", "extensions"],
	["inheritskills", "skills"],
	["colour", "color"],
	["thinkinglevel", "thinking"],
	["effort", "thinking"],
	["reasoningeffort", "thinking"],
	["background", "run_in_background"],
	["maxsteps", "max_turns"],
	["enable", "enabled"],
]);
const OPPOSITES: ReadonlyMap<string, FieldName> = new Map([
	["disabled", "enabled"],
	["disable", "enabled"],
]);
const BY_FOLDED_NAME: ReadonlyMap<string, FieldName> = new Map(
	FIELD_NAMES.map((name) => [foldKey(name), name]),
);

/** The field that a key means, in any of its spellings (`max_turns`, `maxTurns`, `max-turns`, `Max_Turns`) and synonyms. */
export function knownKey(key: string): KnownKey | undefined {
	const folded = foldKey(key);
	const name = BY_FOLDED_NAME.get(folded) ?? SYNONYMS.get(folded);
	if (name !== undefined) return { name, negated: false };
	const opposite = OPPOSITES.get(folded);
	return opposite === undefined ? undefined : { name: opposite, negated: true };
}

/** A key without the differences between `snake_case`, `kebab-case`, `camelCase` and capitals. */
export function foldKey(key: string): string {
	return key.replace(/[\s_-]+/g, "").toLowerCase();
}
