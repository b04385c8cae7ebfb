import type { FieldValue } from "./yaml-value.js";

/**
 * What a value most likely means that is not valid YAML. `inline` is everything behind the key's colon. Text is kept as it
 * is written; a list has to be recognisable as one, or it is `other`; a word has to be one line.
 */
export function rawValue(inline: string, shape: "text" | "list" | "word"): FieldValue {
	if (shape === "text") return scalar(rawText(inline));
	const lines = inline
		.split("\n")
		.map((line) => line.replace(/(^|\s)#.*$/, "").trim())
		.filter((line) => line !== "");
	if (shape === "list") return rawList(lines);
	return lines.length > 1 ? { kind: "other" } : scalar(unquote(lines[0] ?? ""));
}

function rawList(lines: readonly string[]): FieldValue {
	const joined = lines.join(" ");
	if (joined.startsWith("[") && joined.endsWith("]")) {
		const inner = joined.slice(1, -1).trim();
		return inner === "" ? { kind: "list", items: [] } : scalar(inner);
	}
	if (lines.length > 0 && lines.every((line) => /^-(?:\s|$)/.test(line))) {
		return { kind: "list", items: lines.map((line) => unquote(line.slice(1).trim())) };
	}
	return lines.length > 1 ? { kind: "other" } : scalar(unquote(joined));
}

function rawText(inline: string): string {
	const [first = "", ...more] = inline.split("\n").map((line) => line.trim());
	const head = /^[|>][+-]?\d?$/.test(first) ? [] : [first];
	// Published files often carry line ends as `\n` inside one long line.
	return unquote([...head, ...more].join("\n").trim()).replaceAll("\\n", "\n");
}

function unquote(text: string): string {
	const quote = text[0];
	if (quote !== '"' && quote !== "'") return text;
	const closed = text.length > 1 && text.endsWith(quote);
	const inner = text.slice(1, closed ? -1 : undefined);
	return quote === '"' ? inner.replaceAll('\\"', '"') : inner.replaceAll("''", "'");
}

function scalar(text: string): FieldValue {
	return { kind: "scalar", text, plain: true };
}
