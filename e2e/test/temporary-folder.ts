import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** Makes a folder with these files in it, objects as JSON, that is deleted when the test is over. */
export function temporaryFolder(files: Readonly<Record<string, string | object>>): string {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), "pi-subagents-test-")));
	onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
	for (const [name, content] of Object.entries(files)) {
		const file = join(folder, name);
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
	}
	return folder;
}
