// Compares the tables of settings and of fields of agent files in docs/ with what the source says, and fails if they are not
// up to date. Needs no build.
//
//     node scripts/references.js [--write]      writes the tables anew
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const { build } = createRequire(join(root, "packages/pi-extension/package.json"))("esbuild");

/** What each type of field looks like in a file. */
const FIELD_VALUES = {
	name: "a name of at most 60 characters",
	text: "text",
	color: 'a colour\'s name, or `"#rrggbb"` in quotes',
	tools: "names and `*` patterns, or `none`",
	names: "names, or `none`",
	agents: "names of agents, `none`, or `*`",
	models: "one, or several in order of preference",
	thinking: "a level",
	prompt_mode: "`append` or `replace`",
	isolation: "`none` or `worktree`",
	locks: "names of call parameters, or `true` for all",
	boolean: "`true` or `false`",
	integer: "whole number",
	number: "number",
};

const pages = {
	"docs/settings.md": { settings: await settingsTable() },
	"docs/agent-files.md": { fields: await fieldsTable() },
};
const stale = Object.entries(pages).filter(([page, tables]) => {
	const file = join(root, page);
	const before = readFileSync(file, "utf8");
	const after = Object.entries(tables).reduce(insert, before);
	if (process.argv.includes("--write")) writeFileSync(file, after);
	else return after !== before;
	return false;
});
for (const [page] of stale) console.error(`${page} is not up to date; run \`pnpm references\`.`);
process.exitCode = stale.length > 0 ? 1 : 0;

function insert(text, [name, table]) {
	const [begin, end] = [`<!-- generated: ${name} -->`, "<!-- end -->"];
	const from = text.indexOf(begin);
	const to = text.indexOf(end, from);
	if (from < 0 || to < 0) throw new Error(`The marks of the table ${name} are not in the page.`);
	return `${text.slice(0, from)}${begin}\n\n${table}\n\n${text.slice(to)}`;
}

async function settingsTable() {
	const { SETTING_SPECS } = await load("packages/pi-extension/src/settings.ts");
	const rows = Object.entries(SETTING_SPECS).map(([key, spec]) => {
		const { fallback, help, kind } = spec;
		return [`\`${key}\``, settingValue(kind, spec), code(JSON.stringify(fallback)), sentence(help)];
	});
	return table(["Key", "Value", "Default", "What it is"], rows);
}

function settingValue(kind, { choices, min, whole }) {
	if (kind === "choice") return choices.map((each) => code(JSON.stringify(each))).join(", ");
	if (kind === "list") return "list of texts";
	if (kind === "text") return "text";
	return `${whole ? "whole number" : "number"}, ${min} or more`;
}

async function fieldsTable() {
	const { FIELD_NAMES, fieldSpec } = await load("packages/definitions/src/fields.ts");
	const docs = docstrings("packages/core/src/agent-definition.ts");
	const rows = FIELD_NAMES.map((name) => {
		const { rights, type } = fieldSpec(name);
		const doc = docs.get(name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase()));
		if (doc === undefined) throw new Error(`The field ${name} has no docstring in core.`);
		return [`\`${name}\``, FIELD_VALUES[type] ?? type, rights ? "yes" : "", doc];
	});
	return table(["Field", "Value", "Bounds rights", "What it is"], rows);
}

/** The docstrings of members, by their names. */
function docstrings(file) {
	const text = readFileSync(join(root, file), "utf8");
	const members = text.matchAll(/\/\*\*((?:[^*]|\*(?!\/))*)\*\/\s*readonly (\w+)\??:/g);
	return new Map([...members].map(([, doc, name]) => [name, plain(doc)]));
}

function plain(doc) {
	return doc
		.replace(/^\s*\* ?/gm, "")
		.replace(/@defaultValue `?([^`\n]*)`?/g, "Default: `$1`.")
		.replace(/\{@link (\w+)\}/g, "`$1`")
		.replace(/\s+/g, " ")
		.trim();
}

async function load(file) {
	const options = { bundle: true, format: "esm", platform: "node", write: false };
	const { outputFiles } = await build({ ...options, entryPoints: [join(root, file)] });
	const encoded = Buffer.from(outputFiles[0].text).toString("base64");
	return import(`data:text/javascript;base64,${encoded}`);
}

function table(head, rows) {
	const line = (cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
	return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

function code(text) {
	return `\`${text}\``;
}

function sentence(text) {
	return `${text[0].toUpperCase()}${text.slice(1)}.`;
}
