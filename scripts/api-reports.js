// Compares what each package exports with its report in docs/api, so that no change of the public API goes unseen, and
// refuses exported names without a docstring. Packages must have been built.
//
//     node scripts/api-reports.js [--write]      writes the reports anew
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Extractor, ExtractorConfig, ExtractorLogLevel } from "@microsoft/api-extractor";

const root = resolve(import.meta.dirname, "..");
const reports = join(root, "docs", "api");
const write = process.argv.includes("--write");
const temporary = mkdtempSync(join(tmpdir(), "pi-subagents-api-"));
const problems = [];

try {
	const entries = readdirSync(join(root, "packages")).flatMap(entriesOf);
	for (const entry of entries) check(entry);
	const names = new Set(entries.map(({ report }) => report));
	for (const file of existsSync(reports) ? readdirSync(reports) : []) {
		if (!file.endsWith(".api.md") || names.has(file)) continue;
		if (write) rmSync(join(reports, file));
		else problems.push(`docs/api/${file} is of no entry; run \`pnpm api\``);
	}
	if (problems.length > 0) throw new Error(problems.join("\n"));
	console.log(`The public API of ${entries.length} entries is as reported in docs/api.`);
} catch (error) {
	console.error(error.message);
	process.exitCode = 1;
} finally {
	rmSync(temporary, { recursive: true, force: true });
}

/** The entries of a package that have types. */
function entriesOf(folder) {
	const directory = join(root, "packages", folder);
	const { exports } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
	return Object.entries(exports).flatMap(([name, { types }]) => {
		if (types === undefined) return [];
		const suffix = name === "." ? "" : `-${name.slice(2).replaceAll("/", "-")}`;
		return [{ directory, main: join(directory, types), report: `${folder}${suffix}.api.md` }];
	});
}

function check({ directory, main, report }) {
	const config = ExtractorConfig.prepare({
		packageJsonFullPath: join(directory, "package.json"),
		configObjectFullPath: undefined,
		configObject: {
			projectFolder: directory,
			mainEntryPointFilePath: main,
			compiler: { overrideTsconfig: { compilerOptions: options(), files: [main] } },
			apiReport: {
				enabled: true,
				reportFileName: report,
				reportFolder: reports,
				reportTempFolder: temporary,
			},
			docModel: { enabled: false },
			dtsRollup: { enabled: false },
			tsdocMetadata: { enabled: false },
			newlineKind: "lf",
			messages: {
				// Their own line of the report says it, and no release tags are used here.
				extractorMessageReporting: {
					default: { logLevel: ExtractorLogLevel.None },
					"ae-forgotten-export": { logLevel: ExtractorLogLevel.Warning, addToApiReportFile: true },
				},
				tsdocMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
				compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Warning } },
			},
		},
	});
	const said = [];
	const { apiReportChanged, succeeded } = Extractor.invoke(config, {
		localBuild: write,
		messageCallback(message) {
			message.handled = true;
			if (message.logLevel === ExtractorLogLevel.Error) said.push(message.text);
		},
	});
	if (!write && apiReportChanged) {
		problems.push(
			`docs/api/${report} is not what the package exports; run \`pnpm api\` and look at the difference`,
		);
	} else if (!succeeded && said.length > 0) {
		problems.push(`${report}: ${said.join("; ")}`);
	}
	const text = readFileSync(join(temporary, report), "utf8");
	for (const name of undocumented(text)) problems.push(`${report}: ${name} has no docstring`);
}

/** One of several signatures of a function may have the docstring of all. */
function undocumented(text) {
	const exported =
		/^\/\/ (.*)\nexport (?:abstract )?(?:class|const|enum|function|interface|type) (\w+)/gm;
	const found = [...text.matchAll(exported)];
	const isBare = (note) => note.includes("(undocumented)");
	const documented = new Set(found.flatMap(([, note, name]) => (isBare(note) ? [] : [name])));
	return found.flatMap(([, note, name]) => (isBare(note) && !documented.has(name) ? [name] : []));
}

function options() {
	return {
		target: "es2023",
		module: "nodenext",
		moduleResolution: "nodenext",
		skipLibCheck: true,
		strict: true,
		types: ["node"],
		typeRoots: [join(root, "node_modules", "@types")],
	};
}
