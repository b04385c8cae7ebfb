import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { packPackage } from "../src/index.js";
import { temporaryFolder } from "./temporary-folder.js";

/** A workspace in which `tool` depends on `library` and is developed with `development`. */
function workspace(): string {
	const version = "1.0.0";
	const root = temporaryFolder({
		"pnpm-workspace.yaml": "packages: ['*']\nautoInstallPeers: false\n",
		"package.json": { name: "root", private: true },
		"tool/package.json": {
			name: "@test/tool",
			version,
			files: ["dist"],
			dependencies: { "@test/library": "workspace:^" },
			peerDependencies: { "@test/host": "*" },
			devDependencies: { "@test/development": "workspace:^" },
		},
		"tool/dist/tool.js": "",
		"tool/src/tool.ts": "",
		"library/package.json": { name: "@test/library", version },
		"development/package.json": { name: "@test/development", version },
		"host/package.json": { name: "@test/host", version },
	});
	execFileSync("pnpm", ["install", "--offline", "--reporter=silent"], { cwd: root });
	return root;
}

describe("a packed package", () => {
	test("is installed with its dependencies from the workspace, and nothing else is in reach", async () => {
		const packed = await packPackage(join(workspace(), "tool"));
		try {
			expect(readdirSync(packed.path).sort()).toEqual(["dist", "package.json"]);
			const require = createRequire(join(packed.path, "dist", "tool.js"));
			expect(canResolve(require, "@test/library")).toBe(true);
			expect(canResolve(require, "@test/development")).toBe(false);
			expect(canResolve(require, "@test/host")).toBe(false);
			expect(canResolve(require, "@mariozechner/pi-coding-agent")).toBe(false);
		} finally {
			await packed.remove();
		}
		expect(existsSync(packed.path)).toBe(false);
	});

	test("is refused with what was printed if it cannot be packed", async () => {
		const folder = temporaryFolder({ "package.json": { name: "@test/nameless" } });
		await expect(packPackage(folder)).rejects.toThrow(/pnpm pack .* failed: .*version/s);
	});
});

function canResolve(require: NodeJS.Require, name: string): boolean {
	try {
		require.resolve(`${name}/package.json`);
		return true;
	} catch {
		return false;
	}
}
