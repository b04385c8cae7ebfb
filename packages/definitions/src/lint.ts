import { stat } from "node:fs/promises";
import { basename, dirname, sep } from "node:path";
import { parseArgs } from "node:util";
import type { AgentDefinition } from "@pi-subagents/core";
import type { AgentFileResult } from "./agent-file-result.js";
import { type Diagnostic, formatDiagnostic } from "./diagnostic.js";
import type { RegistryFile } from "./index-definitions.js";
import { isProbablyTypo } from "./nearest-names.js";
import { DefinitionRegistry } from "./registry.js";
import { resolveTools } from "./resolve-tools.js";
import { HOST_TOOLS } from "./tool-names.js";

/** What the command did. */
export interface LintResult {
	/** 0: no errors; 1: errors; 2: the command was called wrongly. */
	readonly exitCode: 0 | 1 | 2;
	/** For standard output, with its last line end; may be empty. */
	readonly output: string;
	/** For standard error. */
	readonly problem: string;
}

/** One file in the output of `--json`. */
export interface LintedFile {
	readonly outcome: AgentFileResult["outcome"];
	readonly name?: string;
	readonly description?: string;
	/** The built-in tools that it grants, and the other tools that it names; `all` if it limits nothing. */
	readonly tools?: readonly string[] | "all";
	readonly enabled?: boolean;
	readonly body?: string;
	readonly messages: readonly string[];
}

const USAGE = `Usage: pi-subagents-lint [--json] DIR|FILE...

Checks the agent files (*.md) directly in each folder, and single files. Of several folders, later ones have precedence.
Exit code 1 if a file cannot be used, 2 if the command was called wrongly, otherwise 0.
`;

/** Runs `pi-subagents-lint` with the given arguments. Rejects only for bugs. */
export async function lint(args: readonly string[]): Promise<LintResult> {
	const options = readArguments(args);
	if (typeof options === "string") {
		return { exitCode: 2, output: "", problem: `${options}\n\n${USAGE}` };
	}
	if (options.help) return { exitCode: 0, output: USAGE, problem: "" };
	const { paths, json } = options;
	const places = await Promise.all(paths.map(placeOf));
	const folders = [...new Set(places.flatMap((place) => ("folder" in place ? place.folder : [])))];
	const whole = new Set(
		places.flatMap((place) => ("folder" in place && !("file" in place) ? place.folder : [])),
	);
	const single = new Set(places.flatMap((place) => ("file" in place ? place.file : [])));
	const isAsked = (file: string): boolean => single.has(file) || whole.has(dirname(file));
	const registry = new DefinitionRegistry({
		builtins: [],
		folders: folders.map((path) => ({ kind: "project", path })),
		accept: ({ file }) => isAsked(file),
	});
	await registry.reload();
	const files = registry.files.filter(({ file }) => isAsked(file));
	const found = new Set(files.map(({ file }) => file));
	const problems = [
		...places.flatMap((place) => ("problem" in place ? place.problem : [])),
		...[...single].filter((file) => !found.has(file)).map(notMarkdown),
		...registry.diagnostics.filter(({ file }) => folders.includes(file)).map(formatDiagnostic),
	];
	const isError = ({ severity }: Diagnostic): boolean => severity === "error";
	const failed =
		problems.length > 0 || files.some(({ result }) => result.diagnostics.some(isError));
	return {
		exitCode: failed ? 1 : 0,
		output: json ? toJson(files, folders.length === 1) : toReport(files),
		problem: problems.map((problem) => `${problem}\n`).join(""),
	};
}

interface Options {
	readonly json: boolean;
	readonly help: boolean;
	readonly paths: readonly string[];
}

function readArguments(args: readonly string[]): Options | string {
	try {
		const { values, positionals } = parseArgs({
			args: [...args],
			allowPositionals: true,
			options: { json: { type: "boolean" }, help: { type: "boolean", short: "h" } },
		});
		const help = values.help === true;
		if (!help && positionals.length === 0) return "Name at least one folder or file.";
		return { json: values.json === true, help, paths: positionals };
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	}
}

/** A folder to check, one file in it, or why there is neither. */
type Place =
	| { readonly folder: string }
	| { readonly folder: string; readonly file: string }
	| { readonly problem: string };

async function placeOf(given: string): Promise<Place> {
	const path = given.replace(/(?<=[^\\/])[\\/]+$/, "");
	try {
		if ((await stat(path)).isDirectory()) return { folder: path };
		const folder = dirname(path);
		// As the registry names it.
		return { folder, file: `${folder}${sep}${basename(path)}` };
	} catch {
		return { problem: `${path}: error: There is no such file or folder. Check the path.` };
	}
}

function notMarkdown(file: string): string {
	return `${file}: error: It is not named like an agent file. Give it the ending .md.`;
}

function toReport(files: readonly RegistryFile[]): string {
	const counts = { load: 0, load_with_warning: 0, reject: 0, not_an_agent: 0 };
	const lines: string[] = [];
	for (const { result } of files) {
		counts[result.outcome]++;
		lines.push(...result.diagnostics.map(formatDiagnostic));
	}
	if (lines.length > 0) lines.push("");
	lines.push(
		`${files.length} file${files.length === 1 ? "" : "s"}: ${counts.load} good, ${counts.load_with_warning} with warnings, ` +
			`${counts.reject} rejected, ${counts.not_an_agent} no agents.`,
	);
	return `${lines.join("\n")}\n`;
}

function toJson(files: readonly RegistryFile[], oneFolder: boolean): string {
	const entries = files.map(({ file, result }): [string, LintedFile] => [
		oneFolder ? basename(file) : file,
		toLintedFile(result),
	]);
	return `${JSON.stringify(Object.fromEntries(entries), undefined, "\t")}\n`;
}

function toLintedFile(result: AgentFileResult): LintedFile {
	const messages = result.diagnostics.map(formatDiagnostic);
	if (result.outcome === "not_an_agent") return { outcome: result.outcome, messages };
	if (result.outcome === "reject") return { outcome: "reject", name: result.name, messages };
	const { outcome, definition } = result;
	return {
		outcome,
		name: definition.name,
		description: definition.description,
		tools: toolsOf(definition),
		enabled: definition.enabled !== false,
		body: definition.prompt,
		messages,
	};
}

function toolsOf(definition: AgentDefinition): readonly string[] | "all" {
	const { tools = ["*"], disallowedTools = [] } = definition;
	if (tools.includes("*") && disallowedTools.length === 0) return "all";
	const named = tools.filter(
		(tool) => tool !== "*" && !HOST_TOOLS.some((known) => isProbablyTypo(tool, known)),
	);
	return resolveTools(definition, [...new Set([...HOST_TOOLS, ...named])]).granted.filter(
		(tool) => named.includes(tool) || tools.includes("*") || !tool.includes("*"),
	);
}
