import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder with the given files that is gone after the test. */
export async function temporaryFolder(
	files: Readonly<Record<string, string>> = {},
): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), "definitions-"));
	onTestFinished(() => rm(folder, { recursive: true, force: true }));
	for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
	return folder;
}
