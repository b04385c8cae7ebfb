import { execFile } from "node:child_process";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { installCurrentHost } from "../src/index.js";
import { temporaryFolder } from "./temporary-folder.js";

const run = promisify(execFile);
const LOCKFILE = `lockfileVersion: '9.0'

settings:
  autoInstallPeers: true
  excludeLinksFromLockfile: false

importers:

  .: {}
`;

/** A host without any package, that writes down each of its installations. */
function emptyHost(preinstall = "echo installed >> installations"): string {
	return temporaryFolder({
		"package.json": { name: "host", private: true, scripts: { preinstall } },
		"pnpm-lock.yaml": LOCKFILE,
		"pnpm-workspace.yaml": "trustLockfile: true\n",
		".pnpmfile.cjs": "",
	});
}

function installations(host: string): number {
	return readFileSync(join(host, "installations"), "utf8").trim().split("\n").length;
}

describe("installing the current host", () => {
	test("happens once when several processes ask at the same time", async () => {
		const host = emptyHost();
		const program = `
			import { installCurrentHost } from ${JSON.stringify(join(import.meta.dirname, "../dist/index.js"))};
			await installCurrentHost(process.argv[1]);
		`;
		const install = () => run(process.execPath, ["--input-type=module", "-e", program, host]);
		const outputs = await Promise.all([install(), install(), install()]);
		expect(installations(host)).toBe(1);
		expect(outputs.map(({ stdout, stderr }) => stdout + stderr)).toEqual(["", "", ""]);
		expect(existsSync(join(host, ".lock"))).toBe(false);
	});

	test("happens again only when what decides it has changed", async () => {
		const host = emptyHost();
		await installCurrentHost(host);
		await installCurrentHost(host);
		expect(installations(host)).toBe(1);
		appendFileSync(join(host, "pnpm-workspace.yaml"), "minimumReleaseAge: 4320\n");
		await installCurrentHost(host);
		expect(installations(host)).toBe(2);
	});

	test("rejects with what was printed when it fails, and can be tried again", async () => {
		const host = emptyHost("echo the disk is full && exit 3");
		await expect(installCurrentHost(host)).rejects.toThrow("the disk is full");
		await expect(installCurrentHost(host)).rejects.toThrow("the disk is full");
	});
});
