import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectFolder } from "../src/paths.js";
import { temporaryFolder } from "./temporary-folder.js";

function checkArrows(files: Readonly<Record<string, string | object>>) {
	const script = join(projectFolder, "scripts", "check-arrows.js");
	const { status, stderr } = spawnSync(process.execPath, [script, temporaryFolder(files)]);
	return { status, problems: stderr.toString().trim().split("\n") };
}

const CORE = { name: "@pi-subagents/core" };
const OBSERVERS = {
	name: "@pi-subagents/observers",
	dependencies: { "@pi-subagents/core": "workspace:^" },
	devDependencies: { "@pi-subagents/test-helpers": "workspace:^" },
};
const RUNNER = {
	name: "@pi-subagents/runner",
	dependencies: { "@pi-subagents/core": "workspace:^", "@pi-subagents/observers": "workspace:^" },
	peerDependencies: { "@mariozechner/pi-agent-core": "*" },
	devDependencies: { "@pi-subagents/test-helpers": "workspace:^" },
};

test("imports along the arrows pass", () => {
	const result = checkArrows({
		"packages/core/package.json": CORE,
		"packages/core/src/index.ts": `export type { Usage } from "./usage.js"; import "node:fs";`,
		"packages/observers/package.json": OBSERVERS,
		"packages/observers/src/index.ts": `import type { Usage } from "@pi-subagents/core";`,
		"packages/observers/test/a.test.ts": `import "@pi-subagents/test-helpers"; import "../src/index.js"; import "vitest";`,
		"packages/runner/package.json": RUNNER,
		"packages/runner/src/agent-core.ts": `await import("@mariozechner/pi-agent-core");`,
		"packages/runner/src/run.ts": `import type { Agent } from "@mariozechner/pi-agent-core";`,
	});
	expect(result).toEqual({ status: 0, problems: [""] });
});

test("an import against the arrows fails, in whatever form it is written", () => {
	const result = checkArrows({
		"packages/observers/package.json": OBSERVERS,
		"packages/observers/src/a-run-time.ts": `\nimport { runAgent } from "@pi-subagents/runner";`,
		"packages/observers/src/b-type-only.ts": `import type { RunOptions } from "@pi-subagents/runner";`,
		"packages/observers/src/c-type-import.ts": `type A = import("@pi-subagents/runner").RunOptions;`,
		"packages/observers/src/d-dynamic.ts": `const runner = () => import("@pi-subagents/runner");`,
		"packages/observers/src/e-re-export.ts": `export * from "@pi-subagents/runner/agent-core";`,
		"packages/observers/src/f-type-re-export.ts": `export type { RunOptions } from "@pi-subagents/runner";`,
		"packages/observers/src/g-require.ts": `const runner = require("@pi-subagents/runner");`,
		"packages/observers/src/h-third-party.ts": `import { parse } from "js-yaml";`,
		"packages/observers/src/i-relative.ts": `import type { Usage } from "../../core/src/usage.js";`,
		"packages/observers/src/j-own-test.ts": `import "../test/helper.js";`,
		"packages/observers/test/a.test.ts": `import type { A } from "@pi-subagents/runner";`,
		"packages/observers/test/b.test.ts": `import "../../core/src/index.js";`,
	});
	const runner = "imports @pi-subagents/runner; observers may import @pi-subagents/core.";
	expect(result).toEqual({
		status: 1,
		problems: [
			`packages/observers/src/a-run-time.ts:2 ${runner}`,
			`packages/observers/src/b-type-only.ts:1 ${runner}`,
			`packages/observers/src/c-type-import.ts:1 ${runner}`,
			`packages/observers/src/d-dynamic.ts:1 ${runner}`,
			"packages/observers/src/e-re-export.ts:1 imports @pi-subagents/runner/agent-core; observers may import @pi-subagents/core.",
			`packages/observers/src/f-type-re-export.ts:1 ${runner}`,
			`packages/observers/src/g-require.ts:1 ${runner}`,
			"packages/observers/src/h-third-party.ts:1 imports js-yaml; observers may import @pi-subagents/core.",
			"packages/observers/src/i-relative.ts:1 imports ../../core/src/usage.js, which is outside of src.",
			"packages/observers/src/j-own-test.ts:1 imports ../test/helper.js, which is outside of src.",
			`packages/observers/test/a.test.ts:1 ${runner}`,
			"packages/observers/test/b.test.ts:1 imports ../../core/src/index.js, which is outside of the package.",
			"12 imports or dependencies go against docs/architecture.md.",
		],
	});
});

test("a devDependency cannot be imported by source, not even its types", () => {
	const { problems } = checkArrows({
		"packages/runner/package.json": RUNNER,
		"packages/runner/src/a.ts": `import { fakeClock } from "@pi-subagents/test-helpers";`,
		"packages/runner/src/b.ts": `import type { FakeClock } from "@pi-subagents/test-helpers";`,
	});
	const allowed =
		"runner may import @pi-subagents/core, @pi-subagents/observers, @mariozechner/pi-agent-core.";
	expect(problems).toEqual([
		`packages/runner/src/a.ts:1 imports @pi-subagents/test-helpers; ${allowed}`,
		`packages/runner/src/b.ts:1 imports @pi-subagents/test-helpers; ${allowed}`,
		"2 imports or dependencies go against docs/architecture.md.",
	]);
});

test("pi is imported at run time only by the extension and the one module for its agent core", () => {
	const { problems } = checkArrows({
		"packages/runner/package.json": RUNNER,
		"packages/runner/src/run.ts": `import { type Agent } from "@mariozechner/pi-agent-core";`,
	});
	expect(problems[0]).toBe(
		"packages/runner/src/run.ts:1 imports @mariozechner/pi-agent-core at run time; here only `import type` may name a package of pi.",
	);
});

test("a manifest cannot declare what the arrows do not allow, even if nothing imports it", () => {
	const { problems } = checkArrows({
		"packages/core/package.json": {
			...CORE,
			dependencies: { typebox: "*" },
			devDependencies: { "@pi-subagents/test-helpers": "workspace:^", vitest: "*" },
		},
		"packages/observers/package.json": {
			...OBSERVERS,
			dependencies: { "@pi-subagents/test-helpers": "workspace:^" },
			devDependencies: { "@pi-subagents/runner": "workspace:^" },
		},
		"packages/other/package.json": { name: "@pi-subagents/other" },
	});
	expect(problems).toEqual([
		"packages/core/package.json depends on typebox; core may import nothing.",
		"packages/core/package.json is developed with @pi-subagents/test-helpers; core may import nothing.",
		"packages/observers/package.json depends on @pi-subagents/test-helpers; observers may import @pi-subagents/core.",
		"packages/observers/package.json is developed with @pi-subagents/runner; observers may import @pi-subagents/core.",
		"packages/other has no place in the design; add it there and to MAY_IMPORT.",
		"5 imports or dependencies go against docs/architecture.md.",
	]);
});
