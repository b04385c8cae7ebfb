import {
	type Chunk,
	chunkStrictly,
	chunkTolerantly,
	isCommentOrBlank,
	MAX_FIELDS,
} from "./chunk-header.js";
import type { FieldName } from "./field-values.js";
import { fieldShape, type KnownKey } from "./fields.js";
import { lostRight } from "./lost-right.js";
import { rawValue } from "./raw-value.js";
import { type FieldValue, parseYamlValue } from "./yaml-value.js";

/** One field of a header. Lines are indexes into the header's lines. */
export interface HeaderField {
	/** The key as it is written. */
	readonly key: string;
	/** Absent if it is no field of ours. */
	readonly known?: KnownKey;
	readonly start: number;
	/** Behind its last line; blank lines and comments after the value do not belong to it. */
	readonly end: number;
	readonly value: FieldValue;
	/** Whether the field is valid YAML; otherwise the value is what the text most likely means. */
	readonly valid: boolean;
}

/** What a header says. */
export interface Header {
	readonly fields: readonly HeaderField[];
	/** Lines that belong to no field, or made it necessary to guess where fields begin. */
	readonly strays: readonly number[];
	/** Lines that were taken as text but look like a field that bounds what the agent may do. */
	readonly doubts: readonly { readonly line: number; readonly name: FieldName }[];
	/** Why nothing could be made of the header. */
	readonly unreadable?: "list" | "flow" | "too_many";
	/** Blanks before every line. */
	readonly indent: number;
}

const MAX_LINES = 1000;
/** Longer values of fields that are no text are not even parsed. */
const MAX_LIST = 8 * 1024;

/**
 * Reads a header in two ways. The strict way finds the fields of every valid block mapping: at the left edge a line can
 * only be a key, a comment or a list item. If a line is something else, or a field of ours is not valid YAML, the tolerant
 * way takes only keys that it knows as fields and everything else as text of the field before.
 */
export function readHeader(written: readonly string[]): Header {
	if (written.length > MAX_LINES) {
		return { fields: [], strays: [], doubts: [], indent: 0, unreadable: "too_many" };
	}
	const indent = commonIndent(written);
	const lines = indent === 0 ? written : written.map((line) => line.slice(indent));
	const first = lines.find((line) => !isCommentOrBlank(line));
	const nothing = { fields: [], strays: [], doubts: [], indent };
	if (first !== undefined && /^-(?:[ \t]|$)/.test(first)) return { ...nothing, unreadable: "list" };
	if (first !== undefined && /^[[{]/.test(first)) return { ...nothing, unreadable: "flow" };

	const strict = chunkStrictly(lines);
	if (strict !== undefined) {
		const fields = strict.map((chunk) => readChunk(chunk, lines));
		if (fields.every((field) => field.valid) && !isTextCutShort(fields)) {
			return { ...nothing, fields };
		}
	}
	const { chunks, strays } = chunkTolerantly(lines);
	if (chunks.length > MAX_FIELDS) return { ...nothing, unreadable: "too_many" };
	const fields = chunks.map((chunk) => readChunk(chunk, lines));
	return { fields, strays, doubts: findDoubts(lines, fields, strays), indent };
}

/** `description: >`, and below it at the left edge `This agent does: ...`: to YAML that is an empty text and a field. */
function isTextCutShort(fields: readonly HeaderField[]): boolean {
	return fields.some((field, index) => {
		const next = fields[index + 1];
		const { known, value } = field;
		if (!known || !next || next.known || fieldShape(known.name) !== "text") return false;
		return value.kind === "scalar" && value.text.trim() === "" && /\s/.test(next.key);
	});
}

/** The text of a field's lines. */
export function fieldText(
	field: Pick<HeaderField, "start" | "end">,
	lines: readonly string[],
): string {
	return lines.slice(field.start, field.end).join("\n");
}

function readChunk(chunk: Chunk, lines: readonly string[]): HeaderField {
	const { key, known, start, end } = chunk;
	const place = { key, start, end, ...(known && { known }) };
	const text = fieldText(chunk, lines);
	const inline = text.slice(text.indexOf(":", key.length) + 1).trimStart();
	// A field that slipped to the right is, to YAML, more of the text before it.
	const slipped = lines.slice(start + 1, end).some((line) => lostRight(line) !== undefined);
	if (known === undefined) {
		// What others have there is not ours to judge, unless one of our fields may have slipped into it.
		const value = { kind: "scalar", text: inline.split("\n", 1)[0] ?? "", plain: true } as const;
		const parsed = slipped ? parseYamlValue(text)?.value : value;
		const valid = parsed !== undefined && !(slipped && isPlain(parsed));
		return { ...place, value, valid };
	}
	const textual = fieldShape(known.name) === "text";
	const tooLong = !textual && text.length > MAX_LIST;
	if (tooLong) return { ...place, value: { kind: "other" }, valid: true };
	// A flow collection is no text, and a long one would cost time.
	if (!(textual && /^[[{]/.test(inline))) {
		const parsed = parseYamlValue(text);
		const usable = parsed?.key === key && (parsed.value.kind === "scalar" || !textual);
		if (usable && !(slipped && isPlain(parsed.value))) {
			return { ...place, value: parsed.value, valid: true };
		}
	}
	return { ...place, value: rawValue(inline, fieldShape(known.name)), valid: false };
}

function isPlain(value: FieldValue): boolean {
	return value.kind === "scalar" && value.plain;
}

function findDoubts(
	lines: readonly string[],
	fields: readonly HeaderField[],
	strays: readonly number[],
): Header["doubts"] {
	const certain = new Set(fields.map((field) => field.known?.name));
	const guessed = fields
		.filter((field) => !field.valid)
		.flatMap((field) =>
			Array.from({ length: field.end - field.start - 1 }, (_, index) => field.start + 1 + index),
		);
	const doubtful = [...new Set([...guessed, ...strays])].sort((a, b) => a - b);
	return doubtful.flatMap((line) => {
		const name = lostRight(lines[line] ?? "");
		return name !== undefined && !certain.has(name) ? [{ line, name }] : [];
	});
}

function commonIndent(lines: readonly string[]): number {
	let indent = Number.POSITIVE_INFINITY;
	for (const line of lines) {
		if (isCommentOrBlank(line)) continue;
		indent = Math.min(indent, line.length - line.trimStart().length);
		if (line.startsWith("\t")) return 0;
	}
	return Number.isFinite(indent) &&
		lines.every((line) => line.trim() === "" || line.slice(0, indent).trim() === "")
		? indent
		: 0;
}
