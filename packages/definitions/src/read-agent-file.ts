import { basename } from "node:path";
import type { DefinitionSource } from "@pi-subagents/core";
import type { AgentFileResult } from "./agent-file-result.js";
import { checkAgentName } from "./agent-name.js";
import { decodeText } from "./decode-text.js";
import { type Diagnostic, type Finding, quote } from "./diagnostic.js";
import type { FieldInput } from "./field-input.js";
import { toDefinition } from "./field-values.js";
import { type Frontmatter, normaliseText, splitFrontmatter } from "./frontmatter.js";
import { type Header, type HeaderField, readHeader } from "./header.js";
import { isAgentHeader, looksLikeHeader } from "./is-agent-header.js";
import { judgeHeader } from "./judge-header.js";
import { judgeUnknownKeys } from "./judge-unknown-keys.js";
import { readValues } from "./read-values.js";

/** One file to read. */
export interface AgentFileInput {
	/** The path that diagnostics and the definition's source name. */
	readonly file: string;
	/** The file's content; bytes have to be UTF-8. */
	readonly content: string | Uint8Array;
	/** @defaultValue `user` */
	readonly kind?: DefinitionSource["kind"];
}

/**
 * Reads one agent file. It never throws, whatever the content is, and takes a few milliseconds even for a large one. Where
 * people are sloppy it reads what they mean and says so; where the agent's rights are concerned it narrows or rejects.
 */
export function readAgentFile({ file, content, kind = "user" }: AgentFileInput): AgentFileResult {
	const fileName = basename(file).replace(/\.md$/i, "");
	const finish = (findings: readonly Finding[]): Diagnostic[] =>
		findings.map((finding) => ({ ...finding, file }));
	const reject = (findings: readonly Finding[], name = fileName): AgentFileResult => ({
		outcome: "reject",
		name,
		diagnostics: finish(findings),
	});

	const text = typeof content === "string" ? content : decodeText(content);
	if (typeof text !== "string") {
		return text.meant ? reject([NOT_UTF8]) : noAgent(finish, "it is no text in UTF-8");
	}
	const parts = splitFrontmatter(normaliseText(text));
	if (parts.kind !== "found") return withoutHeader(parts, finish, reject);

	const header = readHeader(parts.lines);
	const known = header.fields.filter(isKnown);
	const meant =
		header.unreadable === undefined ? isAgentHeader(header) : looksLikeHeader(parts.lines);
	if (!meant) return noAgent(finish, "its header is not that of an agent");
	const lineOf = (index: number): number => parts.firstLine + index;
	const read = readValues(known.map((field) => toInput(field, lineOf)));
	const name = read.values.name ?? fileName;
	const findings = [
		...judgeHeader(header, parts, lineOf),
		...judgeUnknownKeys(
			header.fields.map((field) => ({
				...field,
				line: lineOf(field.start),
				text: valueText(field),
			})),
			read.values,
		),
		...read.findings,
		...(header.unreadable === undefined
			? judgeIdentity(read.values.name, fileName, read.values.description !== undefined)
			: []),
	].sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
	if (findings.some((finding) => finding.severity === "error")) return reject(findings, name);

	// Text that was not valid YAML may hold such a line by chance, and it would grant something.
	const { subagents, ...values } = read.values;
	const certain = header.strays.length === 0 && header.fields.every((field) => field.valid);
	if (!certain && subagents !== undefined && subagents.length > 0) findings.push(SUBAGENTS_UNSURE);
	const definition = toDefinition(
		{
			...values,
			...(subagents !== undefined && { subagents: certain ? subagents : [] }),
			name,
			description: values.description || `The agent ${name}.`,
		},
		parts.body,
		{ kind, file },
	);
	const warned = findings.some((finding) => finding.severity === "warning");
	return {
		outcome: warned ? "load_with_warning" : "load",
		name,
		definition,
		diagnostics: finish(findings),
	};
}

const NOT_UTF8: Finding = {
	severity: "error",
	what: "The file is no text in UTF-8",
	why: "its header cannot be read with certainty",
	fix: "Save it as UTF-8",
};

const SUBAGENTS_UNSURE: Finding = {
	severity: "warning",
	field: "subagents",
	what: "`subagents` is not granted",
	why: "the header is not valid YAML, so it is not certain that the line is meant as a field",
	fix: "Repair the header as the other messages say",
};

function noAgent(
	finish: (findings: readonly Finding[]) => Diagnostic[],
	why: string,
): AgentFileResult {
	const fix =
		"Begin it with a header of `---`, `name: ...`, `description: ...`, `---` if it is meant as one";
	return {
		outcome: "not_an_agent",
		diagnostics: finish([{ severity: "info", what: "The file is no agent", why, fix }]),
	};
}

function withoutHeader(
	parts: Exclude<Frontmatter, { kind: "found" }>,
	finish: (findings: readonly Finding[]) => Diagnostic[],
	reject: (findings: readonly Finding[]) => AgentFileResult,
): AgentFileResult {
	if (parts.kind === "none") return noAgent(finish, "it does not begin with a header");
	if (!looksLikeHeader(parts.lines)) {
		return noAgent(finish, "its first `---` does not begin a header");
	}
	const place = { severity: "error" as const, line: parts.line };
	if (parts.kind === "too_long") {
		const what = "The header is longer than 32 KB";
		const why = "a header holds a few short fields";
		return reject([{ ...place, what, why, fix: "Write the instructions below the closing `---`" }]);
	}
	const what = "The header is never closed";
	const why = "it is not certain where the fields end";
	return reject([{ ...place, what, why, fix: "Write a line `---` below the last field" }]);
}

type KnownField = HeaderField & Required<Pick<HeaderField, "known">>;

function isKnown(field: HeaderField): field is KnownField {
	return field.known !== undefined;
}

function toInput(field: KnownField, lineOf: (index: number) => number): FieldInput {
	const { known, key, value, start } = field;
	return { name: known.name, negated: known.negated, key, value, line: lineOf(start) };
}

function valueText({ value }: Header["fields"][number]): string {
	return value.kind === "scalar" ? value.text : "";
}

function judgeIdentity(
	name: string | undefined,
	fileName: string,
	hasDescription: boolean,
): readonly Finding[] {
	const findings: Finding[] = [];
	const problem = name === undefined ? checkAgentName(fileName) : undefined;
	if (problem !== undefined) {
		const what = `The file's name ${quote(fileName)} cannot be the agent's name`;
		findings.push({ severity: "error", field: "name", what, why: problem, fix: "Write a `name`" });
	}
	if (!hasDescription) {
		findings.push({
			severity: "warning",
			field: "description",
			what: "There is no `description`",
			why: "the model cannot know when to use the agent",
			fix: "Write one sentence about when to use it",
		});
	}
	return findings;
}
