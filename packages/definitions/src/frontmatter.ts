/** How a file's text splits into header and body. Lines are counted from 1. */
export type Frontmatter =
	| { readonly kind: "none" }
	| {
			readonly kind: "unclosed" | "too_long";
			readonly line: number;
			/** The first lines of what may be the header. */
			readonly lines: readonly string[];
	  }
	| {
			readonly kind: "found";
			/** The lines between the two `---`. */
			readonly lines: readonly string[];
			/** The line of the file that the first of them is. */
			readonly firstLine: number;
			readonly body: string;
	  };

/** The longest header, in characters: several times the longest that people publish, and parsed in a few milliseconds. */
const MAX_HEADER = 32 * 1024;

/** The same text with `\n` at every line end and without a byte order mark. */
export function normaliseText(text: string): string {
	const plain = text.startsWith("\uFEFF") ? text.slice(1) : text;
	return plain.includes("\r") ? withoutReturns(Buffer.from(plain)) : plain;
}

/** A byte loop: replacing hundreds of thousands of line ends takes a string function a tenth of a second. */
function withoutReturns(bytes: Buffer): string {
	let length = 0;
	for (let index = 0; index < bytes.length; index++) {
		const byte = bytes[index] ?? 0;
		if (byte !== RETURN) bytes[length++] = byte;
		else if (bytes[index + 1] !== NEWLINE) bytes[length++] = NEWLINE;
	}
	return bytes.toString("utf8", 0, length);
}

const RETURN = 13;
const NEWLINE = 10;

/**
 * Splits a normalised text. The header starts at the first line that is not blank, if that is `---`, and ends at the next
 * line that is `---` and nothing else but blanks: `---foo` and `----` end nothing.
 */
export function splitFrontmatter(text: string): Frontmatter {
	const start = firstTextLine(text, 4096);
	const end = lineEnd(text, start);
	if (!isRule(text, start, end)) return { kind: "none" };
	const line = text.slice(0, start).split("\n").length;
	const headerStart = Math.min(end + 1, text.length);
	let closing = end;
	while (closing !== -1 && !isRule(text, closing + 1, lineEnd(text, closing + 1))) {
		closing = text.indexOf("\n---", closing + 1);
	}
	if (closing === -1 || closing - headerStart > MAX_HEADER) {
		const lines = text.slice(headerStart, headerStart + 4096).split("\n", 50);
		return { kind: closing === -1 ? "unclosed" : "too_long", line, lines };
	}
	const header = text.slice(headerStart, Math.max(headerStart, closing));
	return {
		kind: "found",
		lines: closing < headerStart ? [] : header.split("\n"),
		firstLine: line + 1,
		body: trimBody(text.slice(lineEnd(text, closing + 1) + 1)),
	};
}

/** A body without the blank lines around it. */
export function trimBody(body: string): string {
	return body.slice(firstTextLine(body, body.length)).trimEnd();
}

/** Where the first line begins that is not blank. */
function firstTextLine(text: string, limit: number): number {
	let start = 0;
	for (let index = 0; index < Math.min(limit, text.length); index++) {
		const character = text[index];
		if (character === "\n") start = index + 1;
		else if (character !== " " && character !== "\t") break;
	}
	return start;
}

function lineEnd(text: string, start: number): number {
	const end = text.indexOf("\n", start);
	return end === -1 ? text.length : end;
}

function isRule(text: string, start: number, end: number): boolean {
	return text.startsWith("---", start) && isBlank(text, start + 3, end);
}

function isBlank(text: string, start: number, end: number): boolean {
	for (let index = start; index < end; index++) {
		const character = text[index];
		if (character !== " " && character !== "\t") return false;
	}
	return true;
}
