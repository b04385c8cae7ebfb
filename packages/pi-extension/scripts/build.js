// Builds the two files that a host loads (docs/architecture.md, "The two hosts"):
//
// - `extension.js`, a few lines that both hosts always transform: ESM text next to a package.json that does not say
//   `"type": "module"`. Only then do imports of pi's packages reach the running host and not a copy of pi that happens
//   to be installed nearby.
// - `subagents.cjs`, all the rest. The first file loads it with Node's own `require`, so that no host compiles it with
//   Babel, and gives it the host's packages.
//
// And what other extensions import as `@pi-subagents/pi-extension/service`: one small module that imports nothing, with
// its types and those of core that they are made of, so that the package needs no other.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");

const options = {
	platform: "node",
	target: "node20.6",
	minify: true,
	legalComments: "none",
};

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);
await build({
	...options,
	entryPoints: [join(root, "src/entry.ts")],
	outfile: join(dist, "extension.js"),
	format: "esm",
});
await build({
	...options,
	entryPoints: [join(root, "src/index.ts")],
	outfile: join(dist, "subagents.cjs"),
	bundle: true,
	format: "cjs",
	external: ["@mariozechner/*", "typebox"],
	plugins: [droppableConstants(/js-yaml[\\/]dist[\\/]js-yaml\.mjs$/)],
	define: { "import.meta.url": "entryUrl" },
	// A function of what only the first file has. In parentheses, so that it is compiled with the file and is in the host's
	// compile cache; otherwise it is compiled at every start, which is most of what the extension adds to one.
	banner: {
		js: "module.exports = (function (require, entryUrl) {\nconst module = { exports: {} };",
	},
	footer: { js: "return module.exports;\n});" },
});
await build({
	...options,
	minify: false,
	entryPoints: [join(root, "src/service/index.ts")],
	outfile: join(dist, "service/index.js"),
	bundle: true,
	format: "esm",
});
writeFileSync(join(dist, "service/package.json"), `${JSON.stringify({ type: "module" })}\n`);
execFileSync(join(root, "../../node_modules/.bin/tsc"), ["-p", "tsconfig.service.json"], {
	cwd: root,
});
const service = join(dist, "service");
cpSync(join(root, "node_modules/@pi-subagents/core/dist"), join(service, "core"), {
	recursive: true,
	dereference: true,
	filter: (file) => !/\.(js|map)$/.test(file),
});
for (const name of readdirSync(service).filter((file) => file.endsWith(".d.ts"))) {
	const file = join(service, name);
	const text = readFileSync(file, "utf8").replaceAll('"@pi-subagents/core"', '"./core/index.js"');
	writeFileSync(file, text);
}
writeFileSync(join(dist, "package.json"), `${JSON.stringify({ type: "commonjs" })}\n`);

/**
 * Lets esbuild leave out constants of a library that nothing uses: it keeps what calls or spreads something, because that
 * might have an effect. In js-yaml nothing of that has one, and its writer and its schemas are half of it.
 */
function droppableConstants(filter) {
	return {
		name: "droppable-constants",
		setup: ({ onLoad }) =>
			onLoad({ filter }, ({ path }) => {
				const text = readFileSync(path, "utf8");
				const declaration = /^var (\w+) = (.*?);$(?=\n\S)/gms;
				return { contents: text.replace(declaration, "var $1 = /* @__PURE__ */ (() => ($2))();") };
			}),
	};
}
