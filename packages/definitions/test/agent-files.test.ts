import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { DefinitionRegistry, type LintedFile, lint, readAgentFile } from "../src/index.js";
import { differences, FIXTURES, fixture, INLINE_CASES } from "./expected-outcomes.js";
import { temporaryFolder } from "./temporary-folder.js";

const TWINS = ["13-dup-a.md", "14-dup-b.md"];

async function lintJson(folder: string): Promise<Record<string, LintedFile>> {
	return JSON.parse((await lint(["--json", folder])).output);
}

async function folderOf(names: readonly string[]): Promise<string> {
	const folder = await temporaryFolder();
	for (const name of names) await writeFile(join(folder, name), fixture(name));
	return folder;
}

test("all files of one folder end as they have to", async () => {
	const linted = await lintJson(await folderOf(FIXTURES));
	expect(Object.keys(linted)).toEqual(FIXTURES);
	for (const file of FIXTURES.filter((name) => !TWINS.includes(name))) {
		expect(differences(file, linted[file] ?? { outcome: "reject", messages: [] })).toEqual([]);
	}
});

test.each(FIXTURES)("%s alone ends as it has to", async (file) => {
	const { [file]: linted } = await lintJson(await folderOf([file]));
	const alone = linted ?? { outcome: "reject" as const, messages: [] };
	// A twin alone is an agent like any other.
	if (TWINS.includes(file)) expect(alone.outcome).toBe("load");
	else expect(differences(file, alone)).toEqual([]);
});

test("of two files with one name the first by file name is launchable, and messages name both", async () => {
	const folder = await folderOf(TWINS);
	const linted = await lintJson(folder);
	expect(linted["13-dup-a.md"]?.outcome).toBe("load_with_warning");
	expect(linted["13-dup-a.md"]?.tools).toEqual(["read"]);
	expect(linted["13-dup-a.md"]?.body).toBe("TWIN-A: read only.");
	expect(linted["14-dup-b.md"]?.outcome).toBe("reject");
	for (const file of TWINS) {
		const messages = linted[file]?.messages.join("\n") ?? "";
		for (const name of TWINS) expect(messages).toContain(join(folder, name));
	}
});

describe("small files", () => {
	test.each(INLINE_CASES)(
		"$id ends as it has to, by the function and by the command",
		async (inline) => {
			const folder = await temporaryFolder({ [inline.file]: inline.text });
			const linted = await lintJson(folder);
			const read = readAgentFile({ file: join(folder, inline.file), content: inline.text });
			expect(inline.acceptable).toContain(read.outcome);
			expect(linted[inline.file]?.outcome).toBe(read.outcome);
			if (read.outcome === "reject" || read.outcome === "load_with_warning") {
				expect(linted[inline.file]?.messages.join("\n")).toContain(inline.file);
			}
			// All but one of them limit their tools, so nothing may come out with all of them.
			expect(linted[inline.file]?.tools).not.toBe("all");
			expect("polluted" in {}).toBe(false);
		},
	);

	test("all of them in one folder end as each alone does", async () => {
		const files = Object.fromEntries(INLINE_CASES.map(({ file, text }) => [file, text]));
		const linted = await lintJson(await temporaryFolder(files));
		for (const { file, text } of INLINE_CASES) {
			expect(linted[file]?.outcome).toBe(readAgentFile({ file, content: text }).outcome);
		}
	});

	test("their particular demands hold", () => {
		const read = (id: string) => {
			const inline = INLINE_CASES.find((entry) => entry.id === id);
			const result = readAgentFile({ file: inline?.file ?? "", content: inline?.text ?? "" });
			return "definition" in result ? result.definition : result.outcome;
		};
		expect(read("unclosed")).toBe("reject");
		expect(read("dup-keys")).toBe("reject");
		expect(read("bool-name")).toMatchObject({ name: "true", tools: ["read"] });
		expect(read("case-keys")).toMatchObject({ name: "Upper", tools: ["read"] });
		expect(read("rule-in-body")).toMatchObject({ prompt: "A\n----\nB\n---\nC" });
		expect(read("dash-in-header")).toMatchObject({ tools: ["read"], prompt: "B" });
		expect(read("enabled-false")).toMatchObject({ enabled: false, tools: ["read"], prompt: "B" });
		expect(read("turns-text")).toMatchObject({ limits: { maxTurns: 12 } });
		expect(read("no-description")).toMatchObject({ description: "The agent nodesc." });
		expect(read("no-name")).toMatchObject({ name: "from-file-name", tools: ["read"] });
		expect(read("empty-body")).toMatchObject({ prompt: "" });
		expect(read("csv-inner-quotes")).toMatchObject({ tools: ["read", "bash", "grep"] });
	});

	test("names of members that every object has lead to no agent", async () => {
		const text = INLINE_CASES.find(({ id }) => id === "proto-name")?.text ?? "";
		const folder = await temporaryFolder({ "proto-name.md": text });
		const registry = new DefinitionRegistry({ folders: [{ kind: "user", path: folder }] });
		await registry.reload();
		expect(registry.find("__proto__").found).toBe(true);
		for (const name of ["toString", "constructor", "hasOwnProperty", "valueOf"]) {
			expect(registry.find(name).found).toBe(false);
		}
	});

	test("a bad file changes nothing for its neighbours", async () => {
		const folder = await folderOf([
			"01-baseline-csv.md",
			"04-unquoted-colon.md",
			"08-tools-star-unquoted.md",
		]);
		await mkdir(join(folder, "x.md"));
		await writeFile(
			join(folder, "binary.md"),
			Buffer.from([0x2d, 0x2d, 0x2d, 0x0a, 0xff, 0xfe, 0x00]),
		);
		const linted = await lintJson(folder);
		expect(
			differences(
				"01-baseline-csv.md",
				linted["01-baseline-csv.md"] ?? { outcome: "reject", messages: [] },
			),
		).toEqual([]);
		expect(linted["x.md"]?.outcome).toBe("not_an_agent");
		expect(linted["binary.md"]?.outcome).toBe("reject");
	});
});
