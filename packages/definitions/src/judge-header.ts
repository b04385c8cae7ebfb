import { type Finding, quote } from "./diagnostic.js";
import { fieldShape, fieldSpec, knownKey } from "./fields.js";
import type { Frontmatter } from "./frontmatter.js";
import type { Header } from "./header.js";

type Found = Extract<Frontmatter, { kind: "found" }>;

/** What has to be said about the form of a header: what could not be read, what had to be guessed, what looks lost. */
export function judgeHeader(
	header: Header,
	parts: Found,
	lineOf: (index: number) => number,
): readonly Finding[] {
	if (header.unreadable !== undefined) {
		const line = lineOf(0);
		const what = UNREADABLE[header.unreadable];
		const why = "only one field per line can be read with certainty";
		const fix = "Write each field as `key: value` on its own line";
		return [{ severity: "error", line, what, why, fix }];
	}
	const findings: Finding[] = header.doubts.map(({ line, name }) => ({
		severity: "error",
		line: lineOf(line),
		field: name,
		what: `The line looks like \`${name}\`, but the header is not valid YAML here`,
		why: "that field bounds what the agent may do, so nothing is guessed",
		fix: `Write \`${name}\` at the beginning of a line, and put other texts in quotes`,
	}));
	for (const field of header.fields) {
		if (field.known === undefined || field.valid) continue;
		const text = fieldShape(field.known.name) === "text";
		findings.push({
			severity: "warning",
			line: lineOf(field.start),
			field: field.known.name,
			what: `\`${field.key}\` is not valid YAML`,
			why: `it is read as ${text ? "the text that is written there" : "it is most likely meant"}`,
			fix: text
				? "Put the text in quotes, or below `|`, indented"
				: "Put the value in quotes, or write it on one line",
		});
	}
	const stray = header.strays[0];
	if (stray !== undefined && findings.length === 0) {
		const what = `The line ${quote(parts.lines[stray] ?? "")} is no field`;
		const why = "it is taken as a part of the field above it";
		const fix = "Indent it, or leave it out";
		findings.push({ severity: "warning", line: lineOf(stray), what, why, fix });
	}
	const lost = rightInBody(parts, header);
	if (lost !== undefined) {
		findings.push({
			severity: "error",
			line: lineOf(parts.lines.length),
			field: lost,
			what: `The header ends above the field \`${lost}\``,
			why: "that field bounds what the agent may do, and below the header it would only be text",
			fix: "Leave out the `---` line in the middle of the header",
		});
	}
	return findings;
}

const UNREADABLE: Readonly<Record<NonNullable<Header["unreadable"]>, string>> = {
	list: "The header is a list",
	flow: "The header is in brackets",
	too_many: "The header has more than 200 fields or 1000 lines",
};

/** A rights field in what looks like the second half of a header that a `---` cut in two. */
function rightInBody({ body }: Found, header: Header): string | undefined {
	const lines = body.slice(0, 8192).split("\n", 60);
	const end = lines.findIndex((line) => /^---\s*$/.test(line));
	if (end === -1) return undefined;
	const half = lines.slice(0, end);
	if (!half.every((line) => /^(?:[A-Za-z_-]{2,30}\s*:(?:\s|$)|\s|-\s|#|$)/.test(line)))
		return undefined;
	const names = half.map((line) => knownKey(/^([A-Za-z_-]+)\s*:/.exec(line)?.[1] ?? "")?.name);
	return names.find(
		(name) =>
			name !== undefined &&
			name !== "subagents" &&
			fieldSpec(name).rights &&
			!header.fields.some((field) => field.known?.name === name),
	);
}
