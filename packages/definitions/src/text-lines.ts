/** A line, and the characters that end it in its file. */
export interface TextLine {
	readonly text: string;
	/** Empty for a last line without an end. */
	readonly end: "\n" | "\r\n" | "\r" | "";
}

/** The lines of a text with their ends; joined again they are the text. */
export function splitLines(text: string): TextLine[] {
	const lines: TextLine[] = [];
	let start = 0;
	for (const match of text.matchAll(/\r\n|\r|\n/g)) {
		const end = match[0] === "\r\n" ? "\r\n" : match[0] === "\r" ? "\r" : "\n";
		lines.push({ text: text.slice(start, match.index), end });
		start = match.index + end.length;
	}
	if (start < text.length) lines.push({ text: text.slice(start), end: "" });
	return lines;
}

/** The text that lines are of. */
export function joinLines(lines: readonly TextLine[]): string {
	return lines.map(({ text, end }) => text + end).join("");
}
