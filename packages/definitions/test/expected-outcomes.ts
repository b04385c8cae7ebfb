import { readdirSync, readFileSync } from "node:fs";
import type { LintedFile } from "../src/index.js";

const FOLDER = new URL("./fixtures/", import.meta.url);

/** What `expected.json` says about one file. */
interface Expected {
	readonly acceptable: readonly string[];
	readonly preferred: string;
	readonly message_must_name: readonly string[];
	readonly expect: {
		readonly name?: string;
		readonly description?: string;
		readonly description_starts?: string;
		readonly enabled?: boolean;
		readonly body_starts?: string;
		readonly body_ends?: string;
		readonly body_contains?: readonly string[];
		readonly tools?: {
			readonly mode: string;
			readonly effective_min?: readonly string[];
			readonly effective_min_without_message?: readonly string[];
			readonly effective_max?: readonly string[];
		};
	};
}

/** A small file that `expected.json` holds itself. */
export interface InlineCase {
	readonly id: string;
	readonly file: string;
	readonly text: string;
	readonly acceptable: readonly string[];
}

const expected: {
	readonly host_builtin_tools: Readonly<Record<string, readonly string[]>>;
	readonly files: Readonly<Record<string, Expected>>;
	readonly extra_inline_cases: readonly InlineCase[];
} = JSON.parse(readFileSync(new URL("expected.json", FOLDER), "utf8"));

export const INLINE_CASES: readonly InlineCase[] = expected.extra_inline_cases;
export const FIXTURES: readonly string[] = readdirSync(FOLDER).filter((name) =>
	name.endsWith(".md"),
);

export function fixture(file: string): Buffer {
	return readFileSync(new URL(file, FOLDER));
}

/** Everything in which a file's outcome is not what it has to be; the same checks as everybody else's. */
export function differences(file: string, got: LintedFile): readonly string[] {
	const entry = expected.files[file];
	if (!entry) return [`${file} is not in expected.json`];
	const { acceptable, preferred, message_must_name, expect } = entry;
	const found: string[] = [];
	const check = (holds: boolean, message: string): void => {
		if (!holds) found.push(message);
	};
	check(acceptable.includes(got.outcome), `outcome ${got.outcome}`);
	const loaded = got.outcome === "load" || got.outcome === "load_with_warning";
	if (got.outcome === "load_with_warning" || got.outcome === "reject") {
		const messages = got.messages.join("\n");
		for (const word of message_must_name)
			check(messages.includes(word), `no message names ${word}`);
	}
	if (!loaded) return found;
	check(preferred !== "not_an_agent", "loaded though it is no agent");
	const { name, description = "", body = "", tools = [], enabled } = got;
	if (expect.name !== undefined) check(name === expect.name, `name ${name}`);
	if (expect.description !== undefined) {
		check(words(description) === words(expect.description), `description ${description}`);
	}
	check(words(description).startsWith(expect.description_starts ?? ""), "start of description");
	check(body.trimStart().startsWith(expect.body_starts ?? ""), "start of body");
	check(body.trimEnd().endsWith(expect.body_ends ?? ""), "end of body");
	for (const part of expect.body_contains ?? []) check(body.includes(part), `body lacks ${part}`);
	check(!`${name}${description}${body}`.includes("\r"), "carriage return");
	check(expect.enabled !== false || enabled === false, "enabled");
	if (expect.tools) {
		for (const host of Object.values(expected.host_builtin_tools)) {
			found.push(...toolDifferences(expect.tools, tools, got.outcome === "load", host));
		}
	}
	return found;
}

function toolDifferences(
	wanted: NonNullable<Expected["expect"]["tools"]>,
	tools: readonly string[] | "all",
	quiet: boolean,
	host: readonly string[],
): readonly string[] {
	const granted = tools === "all" ? host : tools;
	const lacks = (names: readonly string[]): readonly string[] =>
		names.filter((name) => !granted.includes(name)).map((name) => `lacks ${name}`);
	if (wanted.mode === "all") return lacks(host);
	const most = wanted.effective_max;
	const wider = granted.filter((name) => most !== undefined && !most.includes(name));
	const quietly = quiet ? wanted.effective_min_without_message : undefined;
	return [
		...wider.map((name) => `grants ${name}`),
		...lacks(quietly ?? wanted.effective_min ?? []),
	];
}

function words(text: string): string {
	return text.replace(/\s+/g, " ").trim();
}
