/** The text in one line of at most `length` characters, without control characters. */
export function oneLine(text: string, length: number): string {
	const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
	const characters = [...line];
	return characters.length <= length ? line : `${characters.slice(0, length - 1).join("")}…`;
}

/** The text in lines of at most `width` characters, broken between words. */
export function wrap(text: string, width: number): readonly string[] {
	return text.split("\n").flatMap((paragraph) => {
		const lines: string[] = [];
		let line = "";
		for (const word of paragraph.split(" ")) {
			if (line !== "" && line.length + 1 + word.length > width) {
				lines.push(line);
				line = word;
			} else {
				line = line === "" ? word : `${line} ${word}`;
			}
		}
		return [...lines, line];
	});
}

/** `1 turn`, `2 turns`. */
export function plural(count: number, word: string): string {
	return `${count} ${word}${count === 1 ? "" : "s"}`;
}

/** `0.4s`, `12.3s`. */
export function seconds(milliseconds: number): string {
	return `${(milliseconds / 1000).toFixed(1)}s`;
}
