import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, bench, describe } from "vitest";
import { DefinitionRegistry, readAgentFile } from "../src/index.js";

// Goals: 1,000 files load for the first time in under 1 s and unchanged in under 20 ms; any file of 1 MB takes under 50 ms.

const made: string[] = [];
afterAll(() => {
	for (const folder of made) rmSync(folder, { recursive: true });
});

function folderOf(count: number): string {
	const folder = mkdtempSync(join(tmpdir(), "definitions-bench-"));
	made.push(folder);
	const body = "Say what you looked for, and what you found. ".repeat(20);
	for (let index = 0; index < count; index++) {
		const header = `name: agent-${index}\ndescription: Finds where a symbol is defined\ntools: read, grep, find, ls\nmodel: sonnet\nmax_turns: 20`;
		writeFileSync(join(folder, `agent-${index}.md`), `---\n${header}\n---\n\n${body}\n`);
	}
	return folder;
}

const sizes = [10, 100, 1000].map((count) => {
	const folders = [{ kind: "user", path: folderOf(count) }] as const;
	return { count, folders, loaded: new DefinitionRegistry({ folders }) };
});
for (const { loaded } of sizes) await loaded.reload();

describe("first load", () => {
	for (const { count, folders } of sizes) {
		bench(`${count} files`, async () => {
			await new DefinitionRegistry({ folders }).reload();
		});
	}
});

describe("unchanged reload", () => {
	for (const { count, loaded } of sizes) {
		bench(`${count} files`, async () => {
			await loaded.reload();
		});
	}
});

describe("one file of 1 MB", () => {
	const units = {
		prose: "Some words of a text. ",
		"nested lists": "- ",
		brackets: "[",
		"line ends": "\r",
		emoji: "🚀",
	};
	for (const [name, unit] of Object.entries(units)) {
		const repeated = unit.repeat(1_000_000 / Buffer.byteLength(unit));
		const content = Buffer.from(`---\nname: a\ntools: ${repeated}`);
		bench(name, () => {
			readAgentFile({ file: "a.md", content });
		});
	}
	const body = Buffer.from(`---\nname: a\ntools: read\n---\n${"Some words.\r\n".repeat(76_000)}`);
	bench("a long body", () => {
		readAgentFile({ file: "a.md", content: body });
	});
});
