import {
	chmod,
	mkdir,
	readdir,
	readFile,
	readlink,
	stat,
	symlink,
	writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
	BUILTIN_DEFINITIONS,
	createAgentFile,
	DefinitionRegistry,
	editAgentFile,
	editAgentText,
	type RuntimeDefinition,
} from "../src/index.js";
import { temporaryFolder } from "./temporary-folder.js";

const SCOUT: RuntimeDefinition = {
	name: "scout",
	description: "Looks: carefully",
	prompt: "You look.\n\nThen report.",
	tools: ["read", "grep"],
};

function edited(text: string, changes: Parameters<typeof editAgentText>[2]): string {
	const result = editAgentText("some.md", text, changes);
	return result.ok ? result.text : `refused: ${result.message}`;
}

describe("a new file", () => {
	test("is the header and the instructions", async () => {
		const folder = join(await temporaryFolder(), "agents");
		expect(await createAgentFile(folder, SCOUT)).toEqual({
			ok: true,
			file: join(folder, "scout.md"),
		});
		expect(await readFile(join(folder, "scout.md"), "utf8")).toBe(
			'---\nname: scout\ndescription: "Looks: carefully"\ntools: read, grep\n---\n\nYou look.\n\nThen report.\n',
		);
		expect(await readdir(folder)).toEqual(["scout.md"]);
	});

	test("a built-in can be ejected, and then the file is in force with the same values", async () => {
		const folder = await temporaryFolder();
		for (const definition of BUILTIN_DEFINITIONS) {
			expect((await createAgentFile(folder, definition)).ok).toBe(true);
		}
		const registry = new DefinitionRegistry({ folders: [{ kind: "user", path: folder }] });
		await registry.reload();
		for (const { source: _, ...definition } of BUILTIN_DEFINITIONS) {
			const found = registry.find(definition.name);
			expect(found.found && found.definition).toEqual({
				...definition,
				source: { kind: "user", file: join(folder, `${definition.name}.md`) },
			});
		}
	});

	test.each([
		"../x",
		"/etc/x",
		"a/b",
		"a\\b",
		"",
		".",
		"..",
		"CON",
		"a\0b",
		"x".repeat(300),
		"ends.",
		"a:b",
	])("the name %j is refused, and nothing is made", async (name) => {
		const root = await temporaryFolder();
		const result = await createAgentFile(join(root, "agents"), { ...SCOUT, name });
		expect(result.ok).toBe(false);
		expect(await readdir(root)).toEqual([]);
	});

	test("an existing file stays, also under another case and behind a link that leads nowhere", async () => {
		const folder = await temporaryFolder({ "Scout.md": "mine" });
		await symlink("nowhere", join(folder, "other.md"));
		expect(await createAgentFile(folder, SCOUT)).toEqual({
			ok: false,
			message: `${join(folder, "Scout.md")} is already there.`,
		});
		expect((await createAgentFile(folder, { ...SCOUT, name: "other" })).ok).toBe(false);
		expect(await readFile(join(folder, "Scout.md"), "utf8")).toBe("mine");
		expect((await readdir(folder)).toSorted()).toEqual(["Scout.md", "other.md"]);
	});

	test.each<Partial<RuntimeDefinition>>([
		{ tools: ["Bash(x:*)"] },
		{ tools: ["raed"] },
		{ description: "" },
		{ prompt: "a\uD800" },
	])("a definition that a file would not hold as it is, is refused: %j", async (more) => {
		const folder = await temporaryFolder();
		expect((await createAgentFile(folder, { ...SCOUT, ...more })).ok).toBe(false);
		expect(await readdir(folder)).toEqual([]);
	});

	test("instructions that would be taken for a header are refused", async () => {
		const folder = await temporaryFolder();
		const { tools: _, ...scout } = SCOUT;
		const prompt = "tools: bash\n---\nx";
		expect((await createAgentFile(folder, { ...scout, prompt })).ok).toBe(false);
		expect((await createAgentFile(folder, { ...SCOUT, prompt })).ok).toBe(true);
	});
});

describe("an edit", () => {
	const FILE =
		"\uFEFF---\r\n# kept\r\nname: scout\r\ndescription:   Looks   # note\r\nenabled: true  # for now\r\nicon: x\r\ntools:\r\n  - read # always\r\n  - grep\r\n---\r\n\r\nBody.\r\n";

	test("changes only its field", () => {
		expect(edited(FILE, { enabled: false })).toBe(FILE.replace("enabled: true", "enabled: false"));
		expect(edited(FILE, { description: "a: b" })).toBe(FILE.replace("Looks", '"a: b"'));
		expect(edited(FILE, { tools: ["read", "ls"] })).toBe(FILE.replace("- grep", "- ls"));
		expect(edited(FILE, { max_turns: 5 })).toBe(
			FILE.replace("- grep\r\n", "- grep\r\nmax_turns: 5\r\n"),
		);
		expect(edited(FILE, { enabled: null })).toBe(FILE.replace("enabled: true  # for now\r\n", ""));
		expect(edited(FILE, { prompt: "New.\nTwo." })).toBe(FILE.replace("Body.", "New.\r\nTwo."));
		expect(edited(FILE, {})).toBe(FILE);
	});

	test("keeps the spelling of keys, and turns `disabled` the right way", () => {
		expect(edited("---\nname: a\ndescription: d\nmaxTurns: 3\n---\n", { max_turns: 4 })).toContain(
			"maxTurns: 4",
		);
		expect(
			edited("---\nname: a\ndescription: d\ndisabled: true # why\n---\n", { enabled: true }),
		).toContain("disabled: false # why");
	});

	test("enabling what says nothing changes nothing", () => {
		expect(edited("---\nname: a\ndescription: d\n---\n", { enabled: true })).toBe(
			"---\nname: a\ndescription: d\n---\n",
		);
	});

	test("works in a header that is not valid YAML, and repairs what it replaces", () => {
		const broken =
			"---\nname: a\ndescription: one: two\n\n<example>\nuser: hi\n</example>\ntools: Read\n---\nBody";
		expect(edited(broken, { enabled: false })).toBe(
			broken.replace("---\nname", "---\nenabled: false\nname"),
		);
		expect(edited(broken, { description: "one: two" })).toBe(
			'---\nname: a\ndescription: "one: two"\ntools: Read\n---\nBody',
		);
	});

	test("keeps the indentation of a header", () => {
		expect(edited("---\n  name: a\n  description: d\n---\n", { enabled: false })).toBe(
			"---\n  name: a\n  description: d\n  enabled: false\n---\n",
		);
	});

	test("is refused where it could not be read back", () => {
		expect(edited("# Notes", { enabled: false })).toBe(
			"refused: some.md has no header of an agent that could be edited.",
		);
		expect(edited("---\n{name: a, description: d}\n---\n", { enabled: false })).toContain(
			"by hand",
		);
		expect(
			edited("---\nname: a\ndescription: d\ntools: read\ntools: bash\n---\n", { tools: ["read"] }),
		).toContain("by hand");
		expect(
			edited("---\nname: a\ndescription: d\ntools: {a: b}\n---\n", { enabled: false }),
		).toContain("it would be rejected");
		expect(edited("---\nname: a\ndescription: d\n---\n", { name: "a/b" })).toContain(
			'The name "a/b" cannot be used',
		);
		expect(edited("---\nname: a\ndescription: d\n---\n", { thinking: "ultra" as "max" })).toContain(
			"`thinking`",
		);
		expect(
			edited("---\nname: a\ndescription: d\n---\nBody", { prompt: "tools: read\n---\n" }),
		).toContain("it would be rejected");
	});

	test("can repair a rejected file", () => {
		expect(edited("---\nname: a\ndescription: d\ntools: {a: b}\n---\n", { tools: ["read"] })).toBe(
			"---\nname: a\ndescription: d\ntools: read\n---\n",
		);
	});
});

describe("an edit on disk", () => {
	test("replaces the file in one step and keeps its mode", async () => {
		const folder = await temporaryFolder({ "a.md": "---\nname: a\ndescription: d\n---\nBody" });
		const file = join(folder, "a.md");
		await chmod(file, 0o640);
		const before = await stat(file);
		expect(await editAgentFile(file, { enabled: false })).toEqual({ ok: true, file });
		expect(await readFile(file, "utf8")).toBe(
			"---\nname: a\ndescription: d\nenabled: false\n---\nBody",
		);
		const after = await stat(file);
		expect(after.mode).toBe(before.mode);
		expect(after.ino).not.toBe(before.ino);
		expect(await readdir(folder)).toEqual(["a.md"]);
	});

	test("changes the file that a link leads to, and the link stays", async () => {
		const folder = await temporaryFolder();
		await mkdir(join(folder, "real"));
		await writeFile(join(folder, "real", "a.md"), "---\nname: a\ndescription: d\n---\n");
		await symlink("real/a.md", join(folder, "a.md"));
		expect((await editAgentFile(join(folder, "a.md"), { enabled: false })).ok).toBe(true);
		expect(await readlink(join(folder, "a.md"))).toBe("real/a.md");
		expect(await readFile(join(folder, "real", "a.md"), "utf8")).toContain("enabled: false");
	});

	test("what fails is said, and nothing is left behind", async () => {
		const folder = await temporaryFolder({ "notes.md": "# Notes", "binary.md": "" });
		await writeFile(join(folder, "binary.md"), Buffer.from([0xff, 0x00]));
		for (const name of ["notes.md", "binary.md", "missing.md", "."]) {
			expect((await editAgentFile(join(folder, name), { enabled: false })).ok).toBe(false);
		}
		expect((await readdir(folder)).toSorted()).toEqual(["binary.md", "notes.md"]);
		expect(await readFile(join(folder, "notes.md"), "utf8")).toBe("# Notes");
	});
});
