import { fieldShape, type KnownKey, knownKey } from "./fields.js";
import { foreignField } from "./foreign-fields.js";

/** The lines of one field of a header, as indexes. */
export interface Chunk {
	readonly key: string;
	readonly known: KnownKey | undefined;
	readonly start: number;
	/** Its value is the indented text below it. */
	readonly isBlock: boolean;
	end: number;
}

/** A header with more fields than this is none that a person wrote. */
export const MAX_FIELDS: number = 200;

// A key as YAML has it at the start of a line: quoted, or plain up to the first `: `.
const KEY =
	/^(?:"([^"\\]*)"[ \t]*|'([^']*)'[ \t]*|([\p{L}_$][^:#]*(?:[:#](?!\s)[^:#]*)*?|<<[ \t]*)):(?=[ \t]|$)/u;
const KEY_WITHOUT_BLANK = /^([A-Za-z_-]+):(?=\S)/;
const COMMENT_OR_BLANK = /^[ \t]*(?:#.*)?$/;

/** Whether a line holds nothing. */
export function isCommentOrBlank(line: string): boolean {
	return COMMENT_OR_BLANK.test(line);
}

/** The fields of a header that is a block mapping, or `undefined` if a line is neither key, comment nor part of a value. */
export function chunkStrictly(lines: readonly string[]): Chunk[] | undefined {
	const chunks: Chunk[] = [];
	for (const [index, line] of lines.entries()) {
		const current = chunks.at(-1);
		if (isCommentOrBlank(line) && !isBlockText(line, current)) continue;
		const key = keyOf(line);
		if (key !== undefined) {
			chunks.push(newChunk(key, line, index));
			if (chunks.length > MAX_FIELDS) return undefined;
		} else if (current && (/^[ \t]/.test(line) || /^-(?:[ \t]|$)/.test(line))) {
			current.end = index + 1;
		} else {
			return undefined;
		}
	}
	return chunks;
}

function newChunk(key: string, line: string, start: number): Chunk {
	const isBlock = /:[ \t]+[|>][-+\d]{0,2}[ \t]*(?:#.*)?$/.test(line);
	return { key, known: knownKey(key), start, isBlock, end: start + 1 };
}

/** The fields whose keys are known, and lines at the left edge that are taken as a part of the field above them. */
export function chunkTolerantly(lines: readonly string[]): { chunks: Chunk[]; strays: number[] } {
	const chunks: Chunk[] = [];
	const strays: number[] = [];
	let openExamples = 0;
	for (const [index, line] of lines.entries()) {
		const current = chunks.at(-1);
		if (isCommentOrBlank(line) && !isBlockText(line, current)) continue;
		const key = openExamples > 0 ? undefined : tolerantKey(line, current);
		openExamples = Math.max(
			0,
			openExamples + count(line, /<example\b/gi) - count(line, /<\/example\b/gi),
		);
		if (key !== undefined) {
			chunks.push(newChunk(key, line, index));
			if (chunks.length > MAX_FIELDS) break;
			continue;
		}
		if (!/^[ \t]/.test(line) || current === undefined) strays.push(index);
		if (current) current.end = index + 1;
	}
	return { chunks, strays };
}

/** Below `key: |`, an indented line that begins with `#` is text. */
function isBlockText(line: string, current: Chunk | undefined): boolean {
	return current?.isBlock === true && /^[ \t]+#/.test(line);
}

/** The key of a line that starts a field, given the field that it would otherwise continue. */
function tolerantKey(line: string, current: Chunk | undefined): string | undefined {
	const key = keyOf(line) ?? KEY_WITHOUT_BLANK.exec(line)?.[1];
	if (key === undefined) return undefined;
	if (knownKey(key) || foreignField(key) || key === "<<") return key;
	// In a text, `Context: ...` is text; after anything else it is a field that we do not know.
	const continuesText = current && (!current.known || fieldShape(current.known.name) === "text");
	return continuesText || keyOf(line) === undefined ? undefined : key;
}

function keyOf(line: string): string | undefined {
	const match = KEY.exec(line);
	const key = (match?.[1] ?? match?.[2] ?? match?.[3])?.trim();
	// In YAML the key of `tools:read: x` is `tools:read`, but that is not what anybody means.
	const head = key?.includes(":") ? key.slice(0, key.indexOf(":")) : undefined;
	return head !== undefined && knownKey(head) ? undefined : key;
}

function count(text: string, pattern: RegExp): number {
	return text.match(pattern)?.length ?? 0;
}
