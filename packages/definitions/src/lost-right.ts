import type { FieldName } from "./field-values.js";
import { fieldSpec, knownKey } from "./fields.js";
import { misspeltRight } from "./foreign-fields.js";
import { isSurelyTool } from "./tool-names.js";

// However the key is dressed up: indented, as a list item, in quotes, with an anchor or a tag, as `? key`.
const DRESSED_KEY =
	/^[\s\-?{,]{0,40}(?:[&!]\S{0,40}\s{1,9}){0,3}["']?([A-Za-z][A-Za-z_-]{2,30}(?: [A-Za-z]{2,20})?)["']?\s{0,40}(?:([:=;\uFF1A])|$)/;
const FORGOTTEN_COLON = /^\s{0,40}([A-Za-z][A-Za-z_-]{2,30})\s{1,40}[["']?([A-Za-z_*]{1,40})/;

// It may spell any name, so the worst is assumed.
const ESCAPED_KEY = /^[\s\-?{,]{0,40}"[^"\\]{0,40}\\[^:]{0,80}"\s{0,40}:/;

/**
 * The field that a line of text looks like, if leaving the line out would let the agent do more than its author meant.
 * `subagents` is none of these fields, because an agent that does not have it starts no others.
 */
export function lostRight(line: string): FieldName | undefined {
	if (ESCAPED_KEY.test(line)) return "tools";
	const dressed = DRESSED_KEY.exec(line);
	if (dressed?.[1] && (dressed[2] !== undefined || /^\s*\?/.test(line))) return rightOf(dressed[1]);
	const [, key, word] = FORGOTTEN_COLON.exec(line) ?? [];
	const isValue =
		word !== undefined && (isSurelyTool(word) || /^(?:none|false|true|\*)$/.test(word));
	return key !== undefined && isValue ? rightOf(key) : undefined;
}

function rightOf(key: string): FieldName | undefined {
	const name = knownKey(key)?.name ?? misspeltRight(key);
	return name !== undefined && name !== "subagents" && fieldSpec(name).rights ? name : undefined;
}
