// Checks that every import follows the arrows of docs/architecture.md, section 2: in source and tests, type-only ones
// included, and in what the manifests declare. `turbo boundaries` and biome find undeclared imports; they do not find an
// import of a devDependency in `src` if it is type-only, nor one that is declared but not in the design.
//
//     node scripts/check-arrows.js [ROOT]
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join, relative, resolve, sep } from "node:path";
import { parseSync, Visitor } from "oxc-parser";

const SCOPE = "@pi-subagents/";

/** What the source of each package may import besides Node's own modules. This is the only place that says so. */
const MAY_IMPORT = {
	core: [],
	observers: ["@pi-subagents/core"],
	runner: ["@pi-subagents/core", "@pi-subagents/observers", "@mariozechner/pi-agent-core"],
	definitions: ["@pi-subagents/core", "js-yaml"],
	worktrees: ["@pi-subagents/core"],
	"test-helpers": ["@pi-subagents/core"],
	"pi-extension": [
		"@pi-subagents/core",
		"@pi-subagents/observers",
		"@pi-subagents/runner",
		"@pi-subagents/definitions",
		"@pi-subagents/worktrees",
		"@mariozechner/pi-agent-core",
		"@mariozechner/pi-ai",
		"@mariozechner/pi-coding-agent",
		"@mariozechner/pi-tui",
		"typebox",
	],
};

/** For tests only; nothing that is published needs it, and `core`, which it is made of, cannot have it at all. */
const FOR_TESTS = "@pi-subagents/test-helpers";

/** Its dependencies end up inside its one file, so they are devDependencies. */
const BUNDLED = "pi-extension";

/** Where an import that is still there at run time may name a package of pi. */
const MAY_RUN_PI = [/^packages\/pi-extension\//, /^packages\/runner\/src\/agent-core\.ts$/];
const PI = /^@(mariozechner|earendil-works)\//;

const root = resolve(process.argv[2] ?? join(import.meta.dirname, ".."));
const names = readdirSync(join(root, "packages")).filter((name) =>
	existsSync(join(root, "packages", name, "package.json")),
);
const problems = names.flatMap((name) => checkPackage(name));
for (const problem of problems) console.error(problem);
if (problems.length > 0) {
	console.error(`${problems.length} imports or dependencies go against docs/architecture.md.`);
	process.exitCode = 1;
} else {
	console.log(`The imports of ${names.length} packages follow docs/architecture.md.`);
}

function checkPackage(name) {
	if (!Object.hasOwn(MAY_IMPORT, name)) {
		return [`packages/${name} has no place in the design; add it there and to MAY_IMPORT.`];
	}
	const folder = join(root, "packages", name);
	const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
	return [
		...checkManifest(name, manifest),
		...sourceFiles(join(folder, "src")).flatMap((file) => checkSource(name, manifest, file)),
		...sourceFiles(join(folder, "test")).flatMap((file) => checkTest(name, folder, file)),
	];
}

function checkManifest(name, manifest) {
	const file = `packages/${name}/package.json`;
	const allowed = MAY_IMPORT[name];
	const published = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
	const ours = Object.keys(manifest.devDependencies ?? {}).filter((each) => each.startsWith(SCOPE));
	return [
		...published
			.filter((each) => !allowed.includes(each))
			.map((each) => `${file} depends on ${each}; ${allowedText(name)}.`),
		...ours
			.filter((each) => !allowed.includes(each) && !(each === FOR_TESTS && name !== "core"))
			.map((each) => `${file} is developed with ${each}; ${allowedText(name)}.`),
	];
}

function checkSource(name, manifest, file) {
	const declared = {
		...manifest.dependencies,
		...manifest.peerDependencies,
		...(name === BUNDLED && manifest.devDependencies),
	};
	return importsOf(file).flatMap(({ specifier, line, typeOnly }) => {
		const path = relative(root, file).split(sep).join("/");
		const where = `${path}:${line} imports ${specifier}`;
		if (isBuiltin(specifier)) return [];
		if (specifier.startsWith(".")) {
			const source = join(root, "packages", name, "src");
			return isInside(source, file, specifier) ? [] : [`${where}, which is outside of src.`];
		}
		const target = packageOf(specifier);
		if (!MAY_IMPORT[name].includes(target)) return [`${where}; ${allowedText(name)}.`];
		if (!Object.hasOwn(declared, target)) {
			return [`${where}, which is not in its dependencies or peerDependencies.`];
		}
		if (PI.test(target) && !typeOnly && !MAY_RUN_PI.some((each) => each.test(path))) {
			return [`${where} at run time; here only \`import type\` may name a package of pi.`];
		}
		return [];
	});
}

function checkTest(name, folder, file) {
	return importsOf(file).flatMap(({ specifier, line }) => {
		const where = `${relative(root, file).split(sep).join("/")}:${line} imports ${specifier}`;
		if (specifier.startsWith(".")) {
			const inside = isInside(folder, file, specifier);
			return inside ? [] : [`${where}, which is outside of the package.`];
		}
		const target = packageOf(specifier);
		if (!target.startsWith(SCOPE) || MAY_IMPORT[name].includes(target)) return [];
		if (target === `${SCOPE}${name}` || (target === FOR_TESTS && name !== "core")) return [];
		return [`${where}; ${allowedText(name)}.`];
	});
}

function allowedText(name) {
	const allowed = MAY_IMPORT[name].join(", ") || "nothing";
	return `${name} may import ${allowed}`;
}

function packageOf(specifier) {
	return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}

function isInside(folder, file, specifier) {
	return resolve(dirname(file), specifier).startsWith(folder + sep);
}

function sourceFiles(folder) {
	if (!existsSync(folder)) return [];
	return readdirSync(folder, { recursive: true })
		.filter((file) => /\.[cm]?[jt]sx?$/.test(file))
		.map((file) => join(folder, file))
		.sort();
}

/** Every way to name another module: import, export from, import(), require() and the type import("..."). */
function importsOf(file) {
	const text = readFileSync(file, "utf8");
	const { program, errors } = parseSync(file, text);
	if (errors.length > 0) throw new Error(`${file} cannot be read: ${errors[0].message}`);
	const found = [];
	const add = (node, typeOnly) => {
		if (typeof node?.value !== "string") return;
		const line = text.slice(0, node.start).split("\n").length;
		found.push({ specifier: node.value, line, typeOnly });
	};
	new Visitor({
		// `import { type A } from "x"` is still an import at run time, unlike `import type { A } from "x"`.
		ImportDeclaration: (node) => add(node.source, node.importKind === "type"),
		ExportNamedDeclaration: (node) => add(node.source, node.exportKind === "type"),
		ExportAllDeclaration: (node) => add(node.source, node.exportKind === "type"),
		ImportExpression: (node) => add(node.source, false),
		TSImportType: (node) => add(node.source, true),
		TSExternalModuleReference: (node) => add(node.expression, false),
		CallExpression: (node) => {
			if (node.callee.name === "require") add(node.arguments[0], false);
		},
	}).visit(program);
	return found;
}
