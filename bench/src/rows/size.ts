import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { projectFolder } from "../paths.js";
import type { Result } from "../result.js";

/** How large the extension is. */
export async function measureSize(): Promise<readonly Result[]> {
	const dist = join(projectFolder, "packages", "pi-extension", "dist");
	const entries = await readdir(dist, { withFileTypes: true });
	// What is in folders is not loaded by a host: it is for other extensions.
	const files = entries.filter((entry) => entry.isFile());
	const sizes = await Promise.all(files.map(({ name }) => stat(join(dist, name))));
	const bytes = sizes.reduce((sum, { size }) => sum + size, 0);
	return [
		{
			what: "all files of the bundled extension",
			unit: "KB",
			ours: bytes / 1000,
			limit: { of: "ours", most: 300 },
		},
	];
}
