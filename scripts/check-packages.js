// Packs every package and looks at it like a user: publint, an installation from the tarballs, types under both module
// resolutions, imports without side effects, and every `ts` block of the READMEs, which must run, print what the comments
// after its statements say, and end by itself.
//
//     node scripts/check-packages.js [FOLDER...]      only these of packages/
import { execFile } from "node:child_process";
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { publint } from "publint";
import { formatMessage } from "publint/utils";

const root = resolve(import.meta.dirname, "..");
const user = mkdtempSync(join(tmpdir(), "pi-subagents-user-"));

try {
	const packages = readdirSync(join(root, "packages")).map(readPackage);
	const tarballs = await packAll();
	const wanted = process.argv.slice(2);
	const chosen = packages.filter(({ folder }) => wanted.length === 0 || wanted.includes(folder));
	const libraries = chosen.filter(isLibrary);
	await Promise.all(chosen.map((each) => lint(each, tarballs[each.name])));
	for (const each of chosen) (isLibrary(each) ? writeLibraryUser : checkPiPackage)(each);
	await install(libraries, tarballs);
	const sources = libraries.flatMap(({ sources }) => sources);
	for (const resolution of ["nodenext", "bundler"]) await typeCheck(sources, resolution);
	await Promise.all(libraries.map(importWithoutSideEffects));
	await Promise.all(libraries.map(runExamples));

	const examples = sources.length - libraries.length;
	console.log(
		`${chosen.length} packages pack; the ${libraries.length} libraries among them install,`,
	);
	console.log(`type-check and import without side effects; ${examples} README examples run.`);
} catch (error) {
	console.error(error.message);
	process.exitCode = 1;
} finally {
	rmSync(user, { recursive: true, force: true });
}

function readPackage(folder) {
	const directory = join(root, "packages", folder);
	const manifest = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
	return { ...manifest, directory, folder, sources: [] };
}

/** Everything but a package for pi, which only pi imports. */
function isLibrary({ exports }) {
	return exports["."] !== undefined;
}

function readReadme({ directory, name }) {
	const file = join(directory, "README.md");
	if (!existsSync(file)) refuse(name, ["it has no README.md"]);
	return readFileSync(file, "utf8");
}

/** The path of each package's tarball, by its name. */
async function packAll() {
	const pack = ["-r", "--filter", "./packages/*", "pack", "--json", "--pack-destination", user];
	const packed = JSON.parse(await execute("pnpm", pack, root));
	return Object.fromEntries(packed.map(({ name, filename }) => [name, filename]));
}

async function lint({ name }, file) {
	const tarball = new Uint8Array(readFileSync(file)).buffer;
	const { messages, pkg } = await publint({ strict: true, pack: { tarball } });
	const problems = messages.map((message) => formatMessage(message, pkg));
	refuse(name, problems);
}

/** What both hosts need, so that the extension binds to the pi that runs and not to a copy that npm brings along. */
function checkPiPackage(piPackage) {
	const {
		dependencies = {},
		directory,
		name,
		peerDependencies,
		peerDependenciesMeta,
		pi,
	} = piPackage;
	const bundle = readFileSync(join(directory, pi.extensions[0]), "utf8");
	const imported = [...bundle.matchAll(/\bfrom ?"([^".][^"]*)"/g)].map(
		([, specifier]) => specifier,
	);
	refuse(name, [
		...Object.keys(dependencies).map((each) => `${each} is not in the bundle`),
		...imported
			.filter((each) => !each.startsWith("node:") && !Object.hasOwn(peerDependencies, each))
			.map((each) => `the bundle imports ${each}, which is not a peer`),
		...Object.keys(peerDependencies)
			.filter((each) => !peerDependenciesMeta?.[each]?.optional)
			.map((each) => `the peer ${each} is not optional`),
		...(firstBlock(readReadme(piPackage)) === "sh"
			? []
			: ["its README does not start with a shell line"]),
	]);
}

/** A member of the user's workspace that has the package, and what that depends on. */
function writeLibraryUser(library) {
	const { dependencies, exports, folder, name, peerDependencies } = library;
	const readme = readReadme(library);
	if (firstBlock(readme) !== "ts") refuse(name, ["its README does not start with an example"]);
	const entries = Object.keys(exports).filter((entry) => entry !== "./package.json");
	library.specifiers = entries.map((entry) => name + entry.slice(1));
	const manifest = {
		name: `${folder}-user`,
		type: "module",
		dependencies: { [name]: "*", ...dependencies, ...peerDependencies },
	};
	write(`${folder}/package.json`, JSON.stringify(manifest, replaceWorkspaceRange));
	const all = library.specifiers.map(
		(each, i) => `import * as all${i} from "${each}";\nvoid all${i};\n`,
	);
	library.sources.push(write(`${folder}/import.ts`, all.join("")));
	for (const [i, [, code]] of [...readme.matchAll(/^```ts\n(.*?)^```/gms)].entries()) {
		library.sources.push(write(`${folder}/readme-${i + 1}.ts`, code));
	}
}

function replaceWorkspaceRange(_key, value) {
	return typeof value === "string" && /^(workspace|catalog):/.test(value) ? "*" : value;
}

async function install(libraries, tarballs) {
	const members = JSON.stringify(libraries.map(({ folder }) => folder));
	write("package.json", JSON.stringify({ private: true, type: "module" }));
	// Our packages must come from their tarballs, also where one depends on another.
	const files = Object.entries(tarballs).map(([name, file]) => [name, `file:${file}`]);
	const overrides = JSON.stringify(Object.fromEntries(files));
	write(
		"pnpm-workspace.yaml",
		`packages: ${members}\noverrides: ${overrides}\nstrictDepBuilds: false\nautoInstallPeers: false\n`,
	);
	await execute("pnpm", ["install", "--prefer-offline", "--no-frozen-lockfile"]);
}

function typeCheck(sources, resolution) {
	const module = resolution === "bundler" ? "esnext" : resolution;
	const options = ["--strict", "--skipLibCheck", "--target", "es2023", "--types", "node"];
	const typeRoots = ["--typeRoots", join(root, "node_modules", "@types")];
	const kind = ["--module", module, "--moduleResolution", resolution];
	return execute(join(root, "node_modules", ".bin", "tsc"), [
		...options,
		...typeRoots,
		...kind,
		...sources,
	]);
}

/** Each entry by itself: nothing is printed, no handle is left, and no global is added. */
async function importWithoutSideEffects({ folder, name, specifiers }) {
	const program = `
		const globals = () => Reflect.ownKeys(globalThis).map(String);
		const [before, resources] = [new Set(globals()), process.getActiveResourcesInfo().length];
		await import(process.argv[1]);
		await new Promise(setImmediate);
		const left = process.getActiveResourcesInfo().slice(resources);
		for (const key of globals()) if (!before.has(key)) console.log("it adds the global " + key);
		if (left.length > 0) console.log("it leaves a handle: " + left.join(", "));
	`;
	for (const specifier of specifiers) {
		const options = ["--input-type=module", "-e", program, specifier];
		const said = await execute("node", options, join(user, folder));
		if (said !== "") refuse(name, [`import "${specifier}" says: ${said.trim()}`]);
	}
}

/** A comment after a statement is a line that the example prints, in this order; it may print more. */
async function runExamples({ name, sources }) {
	for (const source of sources.filter((file) => file.includes("/readme-"))) {
		const printed = (await execute("node", [source.replace(/ts$/, "js")])).split("\n");
		const code = readFileSync(join(user, source), "utf8");
		let from = 0;
		for (const [, promised] of code.matchAll(/[;)] \/\/ (.+)$/gm)) {
			const found = printed.indexOf(promised, from);
			const problem = `${source} does not print "${promised}" but ${printed.join(" | ")}`;
			refuse(name, found < 0 ? [problem] : []);
			from = found + 1;
		}
	}
}

function firstBlock(readme) {
	return /^```(\w*)$/m.exec(readme)?.[1];
}

function refuse(name, problems) {
	if (problems.length > 0) throw new Error(`${name}: ${problems.join("; ")}`);
}

function write(file, text) {
	mkdirSync(resolve(user, file, ".."), { recursive: true });
	writeFileSync(join(user, file), text);
	return file;
}

/** What the command printed, also as errors; a minute is enough for each. */
async function execute(command, args, cwd = user) {
	try {
		const { stdout, stderr } = await promisify(execFile)(command, args, { cwd, timeout: 60_000 });
		return stdout + stderr;
	} catch (error) {
		const printed = error.stdout + error.stderr || error.message;
		const why = error.killed ? "it did not end by itself" : printed;
		throw new Error(`\`${[command, ...args].join(" ")}\` failed: ${why}`, { cause: error });
	}
}
