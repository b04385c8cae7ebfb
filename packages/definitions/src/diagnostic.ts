/** How much a diagnostic matters: an `error` rejects the file, a `warning` changes what it means, an `info` is only told on request. */
export type Severity = "error" | "warning" | "info";

/** One thing to know about an agent file, as data. The three texts are for people and can be shown as they are. */
export interface Diagnostic {
	readonly severity: Severity;
	/** The agent file, settings file, folder or registering program that it is about. */
	readonly file: string;
	/** Counted from 1. */
	readonly line?: number;
	/** The field, by its name in an agent file. */
	readonly field?: string;
	/** What was found: a clause without a full stop. */
	readonly what: string;
	/** Why it matters, or what was made of it: a clause without a full stop. */
	readonly why: string;
	/** What to do about it: a sentence without its full stop. */
	readonly fix: string;
}

/** A diagnostic whose place is filled in by whoever knows it. */
export type Finding = Omit<Diagnostic, "file">;

/** One line for a terminal or a notification: `path:line: severity: what: why. What to do.` */
export function formatDiagnostic(diagnostic: Diagnostic): string {
	const { file, line, severity, what, why, fix } = diagnostic;
	const place = line === undefined ? file : `${file}:${line}`;
	return `${place}: ${severity}: ${what}: ${why}. ${fix}.`.replace(UNPRINTABLE, "\uFFFD");
}

/** The text in quotes, on one line, cut to a length that fits into a message. */
export function quote(text: string, maxCharacters = 60): string {
	const line = text.replace(/\s+/g, " ").trim();
	const characters = [...line.slice(0, 2 * maxCharacters + 2)];
	const cut = characters.length > maxCharacters;
	return `"${cut ? `${characters.slice(0, maxCharacters - 1).join("")}…` : line}"`;
}

/** Several texts in quotes; of many only the first. */
export function quoteAll(texts: readonly string[]): string {
	const shown = texts.slice(0, 8).map((text) => quote(text));
	if (texts.length > shown.length) shown.push(`${texts.length - shown.length} more`);
	return shown.join(", ");
}

/** The names in backquotes, joined as people write them: `a`, `b` and `c`; of many only the first. */
export function listNames(names: readonly string[], conjunction = "and"): string {
	const quoted = names.slice(0, 12).map((name) => `\`${name}\``);
	if (names.length > quoted.length) quoted.push(`${names.length - quoted.length} more`);
	const last = quoted.pop();
	if (last === undefined) return "";
	return quoted.length === 0 ? last : `${quoted.join(", ")} ${conjunction} ${last}`;
}

// Control characters, which a terminal would obey, and the marks that turn the direction of text.
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu;
