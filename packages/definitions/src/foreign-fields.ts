import type { FieldName } from "./field-values.js";
import { FIELD_NAMES, fieldSpec, foldKey } from "./fields.js";
import { isProbablyTypo } from "./nearest-names.js";

/** A field of another tool. */
export interface ForeignField {
	/** What to write instead, as a clause; absent if the field only informs and can stay. */
	readonly instead?: string;
	/** Whether this value of it takes rights away there, which it does not do here. */
	readonly restricts: (value: string) => boolean;
}

const never = (): boolean => false;
const READ_ONLY = "for a read-only agent write `tools: read, grep, find, ls`";
const NO_TUNING = "the host sets it; leave it out";
const BODY = "write it below the header, as the agent's instructions";

function unsupported(instead: string, restricts: (value: string) => boolean = never): ForeignField {
	return { instead, restricts };
}
const INFORMS: ForeignField = { restricts: never };

// By folded key.
const FOREIGN: ReadonlyMap<string, ForeignField> = new Map([
	["permissionmode", unsupported(READ_ONLY, (value) => /plan|dontask|read/i.test(value))],
	["permission", unsupported(READ_ONLY, () => true)],
	["permissions", unsupported(READ_ONLY, () => true)],
	["sandbox", unsupported(READ_ONLY, () => true)],
	["sandboxmode", unsupported(READ_ONLY, () => true)],
	["readonly", unsupported(READ_ONLY, (value) => !/^(?:false|no|off|0)$/i.test(value))],
	["hooks", unsupported("put the check into a pi extension, which watches children too")],
	["mcpservers", unsupported("set the servers up for pi itself and name their tools in `tools`")],
	["memory", unsupported("name the file to read in the instructions")],
	["initialprompt", unsupported(BODY)],
	["prompt", unsupported(BODY)],
	["systemprompt", unsupported(BODY)],
	["instructions", unsupported(BODY)],
	["whentouse", unsupported("write it in `description`")],
	["timeout", unsupported("write `max_seconds`")],
	["timeoutseconds", unsupported("write `max_seconds`")],
	["budget", unsupported("write `max_cost`, in US dollars")],
	["maxbudget", unsupported("write `max_cost`, in US dollars")],
	["maxbudgetusd", unsupported("write `max_cost`, in US dollars")],
	["fallbackmodel", unsupported("write all models in `model`, in order of preference")],
	["fallbackmodels", unsupported("write all models in `model`, in order of preference")],
	["temperature", unsupported(NO_TUNING)],
	["topp", unsupported(NO_TUNING)],
	...[
		"mode icon emoji tags category categories version author authors owner license homepage url title",
		"created updated date metadata argumenthint examples example type id priority language languages",
	]
		.join(" ")
		.split(" ")
		.map((key): [string, ForeignField] => [key, INFORMS]),
]);

/** What is known about another tool's field, or `undefined`. */
export function foreignField(key: string): ForeignField | undefined {
	return FOREIGN.get(foldKey(key));
}

/** The rights field that a key is probably a misspelling of; leaving such a line out would widen what the agent may do. */
export function misspeltRight(key: string): FieldName | undefined {
	if (foreignField(key)) return undefined;
	const folded = foldKey(key);
	// An absent `subagents` grants nothing, so a misspelt one is harmless.
	return FIELD_NAMES.find(
		(name) =>
			fieldSpec(name).rights &&
			name !== "subagents" &&
			(folded === foldKey(name).replace(/s$/, "") || isProbablyTypo(folded, foldKey(name))),
	);
}
