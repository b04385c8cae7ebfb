// Bundles the extension into one file, the form that both hosts always transform: ESM text next to a package.json that
// does not say `"type": "module"`. Only then do imports of pi's packages reach the running host and not a copy of pi
// that happens to be installed nearby (docs/architecture.md, "The two hosts").
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);
await build({
	entryPoints: [join(root, "src/index.ts")],
	outfile: join(dist, "extension.js"),
	bundle: true,
	format: "esm",
	platform: "node",
	target: "node20.6",
	external: ["@mariozechner/*", "typebox"],
	// A host transforms the file at its first start, which costs time by its size.
	minify: true,
	legalComments: "none",
});
writeFileSync(join(dist, "package.json"), `${JSON.stringify({ type: "commonjs" })}\n`);
