import type { FieldName, FieldValues } from "./field-values.js";
import { FIELD_NAMES } from "./fields.js";

/** The text of a new agent file: a header with the fields in their usual order, and the instructions. */
export function formatAgentFile(values: FieldValues, prompt: string): string {
	const header = FIELD_NAMES.flatMap((name) => {
		const value = values[name];
		return value === undefined ? [] : [`${name}: ${formatValue(name, value)}`];
	});
	const body = prompt === "" ? "" : `\n${prompt}\n`;
	return `---\n${header.join("\n")}\n---\n${body}`;
}

/** A value as it stands behind its key; may have more lines, which are indented. */
export function formatValue(name: FieldName, value: NonNullable<FieldValues[FieldName]>): string {
	if (typeof value === "boolean" || typeof value === "number") return String(value);
	if (typeof value === "string") return formatText(value);
	if (value.length === 0) return name === "model" ? "inherit" : "none";
	return formatText(value.join(", "));
}

/** One text as YAML: plain where that is safe in every YAML version, else quoted, or below `|-` if it has several lines. */
export function formatText(text: string): string {
	if (PLAIN.test(text) && !RESERVED.test(text)) return text;
	const lines = text.split("\n");
	if (lines.length > 1 && lines.every(isBlockLine) && /^\S/.test(text) && /\S$/.test(text)) {
		return ["|-", ...lines.map((line) => (line === "" ? "" : `  ${line}`))].join("\n");
	}
	return JSON.stringify(text).replace(
		UNPRINTABLE,
		(character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
	);
}

const PLAIN = /^[\p{L}_/][\p{L}\p{M}\p{N} _.,/()'-]*$/u;
const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n)$/i;
// What YAML does not allow to stand for itself, or what editors change.
const UNPRINTABLE = /[\x7F-\x9F\u2028\u2029\uFEFF\uFFFE\uFFFF]/g;

function isBlockLine(line: string): boolean {
	return (
		line === "" || (/\S/.test(line) && !/[\p{Cc}\p{Cs}\u2028\u2029\uFEFF\uFFFE\uFFFF]/u.test(line))
	);
}
