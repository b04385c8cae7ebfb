// Bundles each program of the benchmark, because some rows measure modules of the extension that it does not publish.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const root = join(import.meta.dirname, "..");

rmSync(join(root, "dist"), { recursive: true, force: true });
await build({
	entryPoints: ["main", "run-row", "serve-model"].map((name) => join(root, "src", `${name}.ts`)),
	outdir: join(root, "dist"),
	bundle: true,
	// A row is loaded only in the process that runs it.
	splitting: true,
	packages: "external",
	format: "esm",
	platform: "node",
	target: "node20.19",
	sourcemap: true,
});
