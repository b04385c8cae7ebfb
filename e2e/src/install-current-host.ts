import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lock } from "proper-lockfile";
import { execute } from "./execute.js";
import { currentHostFolder } from "./paths.js";

const DECIDING_FILES = ["package.json", "pnpm-lock.yaml", "pnpm-workspace.yaml", ".pnpmfile.cjs"];

/**
 * Installs pi 1.6.0 and a Node for it below `hosts/current`, unless that was done. It is outside the workspace, which
 * refuses packages that need a newer Node than 20. Silent; several processes may call it at the same time. Rejects with
 * what pnpm said if the installation fails.
 */
export async function installCurrentHost(folder: string = currentHostFolder): Promise<void> {
	const wanted = fingerprint(folder);
	const stamp = join(folder, "node_modules", ".installed");
	const isInstalled = (): boolean => existsSync(stamp) && readFileSync(stamp, "utf8") === wanted;
	if (isInstalled()) return;
	const release = await lock(folder, { lockfilePath: join(folder, ".lock"), retries: PATIENTLY });
	try {
		if (isInstalled()) return;
		await execute("pnpm", ["install", "--frozen-lockfile"], folder);
		writeFileSync(stamp, wanted);
	} finally {
		await release();
	}
}

/** Five minutes; a lock whose owner died is taken over much sooner. */
const PATIENTLY = { retries: 1500, factor: 1, minTimeout: 200 };

function fingerprint(folder: string): string {
	const hash = createHash("sha256");
	for (const file of DECIDING_FILES) hash.update(readFileSync(join(folder, file)));
	return `${process.platform}-${process.arch} ${hash.digest("hex")}\n`;
}
