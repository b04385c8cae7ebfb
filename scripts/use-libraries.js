// What a user does with the tarballs of our libraries: installs them where nothing of this workspace is in reach, imports
// them, and tries the examples of their READMEs.
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { execute, refuse } from "./execute.js";

const root = resolve(import.meta.dirname, "..");

/** The TypeScript of this project and those before it that people still use, by the names of their packages here. */
const COMPILERS = ["typescript-5.9", "typescript-6", "typescript"];
/**
 * What an import may take, in parts of what Node itself takes to start, both in CPU time: a busy machine makes both slower. On
 * one that does nothing else, Node 20 starts in about 40 milliseconds.
 */
const IMPORT_SHARE = { core: 0.5, observers: 0.5, definitions: 1.2 };

/**
 * `folder` is empty at first; `libraries` are manifests with the names of their folders and the text of their READMEs;
 * `tarballs` are paths by package name. Resolves to the number of examples that ran, and rejects with what is wrong.
 */
export async function useLibraries(folder, libraries, tarballs) {
	const users = libraries.map((library) => writeUser(folder, library));
	await install(folder, users, tarballs);
	const sources = users.flatMap(({ directory, examples, imports }) =>
		[imports, ...examples.map(({ file }) => file)].map((file) => join(directory, file)),
	);
	for (const compiler of COMPILERS) {
		const check = (resolution) => typeCheck(compiler, folder, sources, resolution);
		await Promise.all(["nodenext", "bundler"].map(check));
	}
	await Promise.all(users.map(importWithoutSideEffects));
	for (const user of users) await importQuickly(user);
	await Promise.all(users.map(runExamples));
	return users.flatMap(({ examples }) => examples).length;
}

/** A member of the user's workspace that has the package and what that depends on, and nothing else. */
function writeUser(folder, library) {
	const { dependencies, exports, name, peerDependencies, readme } = library;
	const directory = join(folder, library.folder);
	mkdirSync(directory);
	const write = (file, text) => {
		writeFileSync(join(directory, file), text);
		return file;
	};
	const needed = { [name]: "*", ...dependencies, ...peerDependencies };
	const manifest = { name: `${library.folder}-user`, type: "module", dependencies: needed };
	write("package.json", JSON.stringify(manifest, withoutWorkspaceRanges));
	const entries = Object.keys(exports).filter((entry) => entry !== "./package.json");
	const specifiers = entries.map((entry) => name + entry.slice(1));
	const lines = specifiers.map((each, i) => `import * as all${i} from "${each}";\nvoid all${i};\n`);
	const imports = write("imports.ts", lines.join(""));
	const blocks = [...readme.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code]) => code);
	const examples = blocks.map((code, i) => ({ file: write(`readme-${i + 1}.ts`, code), code }));
	return { directory, examples, folder: library.folder, imports, name, specifiers };
}

function withoutWorkspaceRanges(_key, value) {
	return typeof value === "string" && /^(workspace|catalog):/.test(value) ? "*" : value;
}

async function install(folder, users, tarballs) {
	const files = Object.entries(tarballs).map(([name, file]) => [name, `file:${file}`]);
	const settings = {
		packages: users.map(({ directory }) => directory.slice(folder.length + 1)),
		// Our packages must come from their tarballs, also where one depends on another.
		overrides: Object.fromEntries(files),
		strictDepBuilds: false,
		autoInstallPeers: false,
	};
	writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
	writeFileSync(join(folder, "pnpm-workspace.yaml"), JSON.stringify(settings));
	await execute("pnpm", ["install", "--prefer-offline", "--no-frozen-lockfile"], folder);
}

function typeCheck(compiler, folder, sources, resolution) {
	const module = resolution === "bundler" ? "esnext" : resolution;
	const options = ["--strict", "--skipLibCheck", "--target", "es2023", "--types", "node"];
	const typeRoots = ["--typeRoots", join(root, "node_modules", "@types")];
	const kind = ["--module", module, "--moduleResolution", resolution];
	const program = join(root, "node_modules", compiler, "bin", "tsc");
	return execute("node", [program, ...options, ...typeRoots, ...kind, ...sources], folder);
}

/** In a process of its own each time; the least of several, because the machine may do other things, too. */
async function importQuickly({ directory, folder, name }) {
	const most = IMPORT_SHARE[folder];
	if (most === undefined) return;
	const program = `
		const start = process.cpuUsage();
		await import(process.argv[1]);
		const taken = process.cpuUsage(start);
		console.log((taken.user + taken.system) / (start.user + start.system));
	`;
	const shares = [];
	while (shares.length < 10 && !(Math.min(...shares) < most)) {
		const options = ["--input-type=module", "-e", program, name];
		shares.push(Number(await execute("node", options, directory)));
	}
	const least = Math.min(...shares);
	const problem = `its import takes ${least} of what Node takes to start and not less than ${most}`;
	refuse(name, least < most ? [] : [problem]);
}

/** Each entry by itself: nothing is printed, no handle is left, and no global is added. */
async function importWithoutSideEffects({ directory, name, specifiers }) {
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
		const said = await execute("node", options, directory);
		if (said !== "") refuse(name, [`import "${specifier}" says: ${said.trim()}`]);
	}
}

/** A comment after a statement is a line that the example prints, in this order; it may print more. */
async function runExamples({ directory, examples, name }) {
	for (const { code, file } of examples) {
		const printed = (await execute("node", [file.replace(/ts$/, "js")], directory)).split("\n");
		let from = 0;
		for (const [, promised] of code.matchAll(/[;)] \/\/ (.+)$/gm)) {
			const found = printed.indexOf(promised, from);
			const problem = `${file} does not print "${promised}" but ${printed.join(" | ")}`;
			refuse(name, found < 0 ? [problem] : []);
			from = found + 1;
		}
	}
}
