import type { AgentFileResult } from "./agent-file-result.js";
import { formatDiagnostic } from "./diagnostic.js";
import { type FieldName, type FieldValues, toFieldValues } from "./field-values.js";
import { normaliseText, splitFrontmatter, trimBody } from "./frontmatter.js";
import { type Header, readHeader } from "./header.js";
import { readAgentFile } from "./read-agent-file.js";
import { readMembers } from "./read-members.js";
import { newField, rewriteField } from "./rewrite-field.js";
import { joinLines, splitLines } from "./text-lines.js";

/** What to change in an agent file: fields by their names there, `null` to remove one; and its instructions. */
export type AgentChanges = { readonly [K in FieldName]?: FieldValues[K] | null } & {
	readonly prompt?: string;
};

/** The edited text, or a sentence about why it stays as it is. */
export type EditResult =
	| { readonly ok: true; readonly text: string }
	| { readonly ok: false; readonly message: string };

/** The values that the edited file has to have; `undefined` for a field that is to be gone. */
type Wanted = ReadonlyMap<FieldName, FieldValues[FieldName]>;

/**
 * Changes single fields of an agent file's text. Everything else stays byte for byte: comments, unknown fields, order, line
 * ends, a byte order mark. The result is read again, and refused unless it loads, says what was asked for, and says the same
 * as before about everything else.
 */
export function editAgentText(file: string, text: string, changes: AgentChanges): EditResult {
	const before = readAgentFile({ file, content: text });
	const parts = splitFrontmatter(normaliseText(text));
	if (before.outcome === "not_an_agent" || parts.kind !== "found") {
		return refuse(`${file} has no header of an agent that could be edited.`);
	}
	const header = readHeader(parts.lines);
	const wanted = readChanges(file, changes);
	if (typeof wanted === "string") return refuse(wanted);
	const edits = planEdits(header, parts.lines, wanted);
	if (edits === undefined) return refuse(`The header of ${file} has to be edited by hand.`);

	const lines = splitLines(text);
	const top = parts.firstLine - 1;
	const eol = lines[top - 1]?.end || "\n";
	const bodyStart = top + parts.lines.length + 1;
	const prompt = changes.prompt === undefined ? undefined : trimBody(normaliseText(changes.prompt));
	if (prompt !== undefined) {
		const body = prompt === "" ? [] : ["", ...prompt.split("\n")];
		const head = lines.slice(0, bodyStart);
		const last = head.at(-1);
		if (last && last.end === "") head[head.length - 1] = { text: last.text, end: eol };
		lines.splice(0, lines.length, ...head, ...body.map((line) => ({ text: line, end: eol })));
	}
	for (const edit of edits) {
		const replacement = edit.lines.map((line) => ({ text: line, end: eol }));
		lines.splice(top + edit.start, edit.end - edit.start, ...replacement);
	}
	const edited = joinLines(lines);
	const problem = compare(
		before,
		readAgentFile({ file, content: Buffer.from(edited) }),
		wanted,
		prompt,
	);
	if (problem === undefined) return { ok: true, text: edited };
	return refuse(`${file} has to be edited by hand: ${problem}`);
}

function readChanges(file: string, { prompt: _, ...fields }: AgentChanges): Wanted | string {
	const wanted = new Map<FieldName, FieldValues[FieldName]>();
	for (const [name, value] of Object.entries(fields)) {
		if (value === undefined) continue;
		const read = readMembers([[name, value]]);
		const problem = read.findings.find(({ severity }) => severity !== "info");
		if (value !== null && problem) return formatDiagnostic({ ...problem, file });
		wanted.set(name as FieldName, value === null ? undefined : read.values[name as FieldName]);
	}
	return wanted;
}

interface LineEdit {
	readonly start: number;
	readonly end: number;
	readonly lines: readonly string[];
}

/** The edits of the header's lines, from the last to the first; `undefined` if it is not certain what to replace. */
function planEdits(
	header: Header,
	written: readonly string[],
	wanted: Wanted,
): readonly LineEdit[] | undefined {
	if (header.unreadable !== undefined) return undefined;
	const indent = " ".repeat(header.indent);
	const lines = written.map((line) => line.slice(header.indent));
	// Below text that is not valid YAML a new line could be taken for a part of it.
	const insertAt =
		header.strays.length > 0 ? 0 : Math.max(0, ...header.fields.map(({ end }) => end));
	const edits: LineEdit[] = [];
	for (const [name, value] of wanted) {
		const there = header.fields.filter(({ known }) => known?.name === name);
		const [field] = there;
		if (there.length > 1) return undefined;
		if (field === undefined) {
			// Agents are enabled unless they say otherwise.
			if (value === undefined || (name === "enabled" && value === true)) continue;
			edits.push({ start: insertAt, end: insertAt, lines: newField(name, value) });
		} else {
			const replacement = value === undefined ? [] : rewriteField(field, name, value, lines);
			edits.push({ start: field.start, end: field.end, lines: replacement });
		}
	}
	return edits
		.map((edit) => ({
			...edit,
			lines: edit.lines.map((line) => (line === "" ? "" : indent + line)),
		}))
		.sort((a, b) => b.start - a.start);
}

/** Why the edited file is not what was asked for, if it is not. */
function compare(
	before: Exclude<AgentFileResult, { outcome: "not_an_agent" }>,
	after: AgentFileResult,
	wanted: Wanted,
	prompt: string | undefined,
): string | undefined {
	if (after.outcome === "reject" || after.outcome === "not_an_agent") {
		const errors = after.diagnostics.filter(({ severity }) => severity === "error");
		return `it would be rejected. ${errors.map(formatDiagnostic).join(" ")}`;
	}
	const values = toFieldValues(after.definition);
	const old = before.outcome === "reject" ? undefined : toFieldValues(before.definition);
	const names = [
		...Object.keys(values),
		...Object.keys(old ?? {}),
		...wanted.keys(),
	] as FieldName[];
	const wrong = names.find((name) => {
		if (!wanted.has(name)) return old !== undefined && !isEqual(values[name], old[name]);
		const value = wanted.get(name);
		// Without a name or description the file's name stands in; enabled is the default.
		if (value === undefined && (name === "name" || name === "description")) return false;
		if (name === "enabled" && value === true) return values.enabled === false;
		return !isEqual(values[name], value);
	});
	if (wrong !== undefined) return `\`${wrong}\` would not be read as it was meant.`;
	const body = prompt ?? (before.outcome === "reject" ? undefined : before.definition.prompt);
	const same = body === undefined || body === after.definition.prompt;
	return same ? undefined : "its instructions would not be read as they were meant.";
}

function refuse(message: string): EditResult {
	return { ok: false, message };
}

function isEqual(a: unknown, b: unknown): boolean {
	return JSON.stringify(a) === JSON.stringify(b);
}
