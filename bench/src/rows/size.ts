import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { projectFolder } from "../paths.js";
import type { Result } from "../result.js";

/** How large the extension is. */
export async function measureSize(): Promise<readonly Result[]> {
	const dist = join(projectFolder, "packages", "pi-extension", "dist");
	const names = await readdir(dist);
	const sizes = await Promise.all(names.map((name) => stat(join(dist, name))));
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
