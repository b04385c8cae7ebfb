import { chmod, link, mkdir, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
	BUILTIN_DEFINITIONS,
	type DefinitionFolder,
	DefinitionRegistry,
	formatDiagnostic,
	type RuntimeDefinition,
	standardFolders,
} from "../src/index.js";
import { temporaryFolder } from "./temporary-folder.js";

function agent(name: string, more = "tools: read", body = "Body."): string {
	return `---\nname: ${name}\ndescription: The agent ${name}.\n${more}\n---\n${body}\n`;
}

async function registryOf(...folders: readonly DefinitionFolder[]): Promise<DefinitionRegistry> {
	const registry = new DefinitionRegistry({ folders });
	await registry.reload();
	return registry;
}

function definitionOf(registry: DefinitionRegistry, name: string) {
	const found = registry.find(name);
	if (!found.found) throw new Error(found.message);
	return found.definition;
}

function messageOf(registry: DefinitionRegistry, name: string): string {
	const found = registry.find(name);
	return found.found ? "found" : found.message;
}

describe("built-ins", () => {
	test("three agents are there before anything is read", () => {
		const registry = new DefinitionRegistry();
		expect(registry.entries.map(({ name }) => name)).toEqual([
			"general-purpose",
			"Explore",
			"Plan",
		]);
		expect(definitionOf(registry, "general-purpose")).toEqual({
			name: "general-purpose",
			description: "Any task, with all tools.",
			prompt: "",
			promptMode: "append",
			source: { kind: "builtin" },
		});
	});

	test("the read-only ones cannot write, and none pins a model", () => {
		for (const { name, tools, model } of BUILTIN_DEFINITIONS) {
			expect(model).toBeUndefined();
			if (name !== "general-purpose") expect(tools).toEqual(["read", "grep", "find", "ls"]);
		}
	});
});

describe("files that are not accepted", () => {
	test("are as if they were not there, until they are accepted", async () => {
		const user = await temporaryFolder({ "scout.md": agent("scout", "tools: read", "user") });
		const project = await temporaryFolder({
			"explore.md": agent("Explore", "tools: bash"),
			"scout.md": agent("scout", "tools: {bash: true}"),
			"notes.md": "Notes.",
		});
		const registry = new DefinitionRegistry({
			folders: [
				{ kind: "user", path: user },
				{ kind: "project", path: project },
			],
			accept: (_, kind) => kind !== "project",
		});
		await registry.reload();
		expect(definitionOf(registry, "scout").prompt).toBe("user");
		expect(definitionOf(registry, "Explore").source.kind).toBe("builtin");
		expect(registry.withheld.map(({ file, result }) => [file, result.outcome])).toEqual([
			[join(project, "explore.md"), "load"],
			[join(project, "scout.md"), "reject"],
		]);
		expect(registry.diagnostics.map(({ severity }) => severity)).toEqual(["info"]);

		registry.configure({ accept: () => true });
		expect(registry.withheld).toEqual([]);
		expect(definitionOf(registry, "Explore").tools).toEqual(["bash"]);
		expect(registry.find("scout").found).toBe(false);
	});
});

describe("precedence", () => {
	test("rises from built-in over user, package and project to run time, and within a kind with the order", async () => {
		const folders = await Promise.all(
			["user", "package", "agents", "pi"].map(async (body) =>
				temporaryFolder({ "explore.md": agent("Explore", "tools: read", body) }),
			),
		);
		const [user = "", packaged = "", agents = "", pi = ""] = folders;
		const all: readonly DefinitionFolder[] = [
			{ kind: "project", path: agents },
			{ kind: "user", path: user },
			{ kind: "project", path: pi },
			{ kind: "package", path: packaged },
		];
		const promptWith = async (count: readonly number[]) => {
			const registry = await registryOf(...all.filter((_, index) => count.includes(index)));
			return definitionOf(registry, "Explore").prompt;
		};
		expect(await promptWith([1])).toBe("user");
		expect(await promptWith([1, 3])).toBe("package");
		expect(await promptWith([0, 1, 3])).toBe("agents");
		expect(await promptWith([0, 1, 2, 3])).toBe("pi");

		const registry = await registryOf(...all);
		const registration = registry.register(
			{ name: "explore", description: "d", prompt: "runtime" },
			"extension x",
		);
		expect(definitionOf(registry, "Explore").prompt).toBe("runtime");
		registration.unregister();
		registration.unregister();
		expect(definitionOf(registry, "Explore").prompt).toBe("pi");
	});

	test("a shadowed file and the one that shadows it are both named (PARSE-11)", async () => {
		const user = await temporaryFolder({ "scout.md": agent("scout") });
		const project = await temporaryFolder({ "my-scout.md": agent("SCOUT") });
		const registry = await registryOf(
			{ kind: "user", path: user },
			{ kind: "project", path: project },
		);
		const [diagnostic, ...others] = registry.diagnostics;
		expect(others).toEqual([]);
		const message = diagnostic ? formatDiagnostic(diagnostic) : "";
		expect(message).toContain("warning");
		expect(message).toContain(join(user, "scout.md"));
		expect(message).toContain(join(project, "my-scout.md"));
		expect(registry.entries.filter(({ name }) => name.toLowerCase() === "scout")).toHaveLength(1);
	});

	test("a rejected file blocks its name, so that nothing wider takes its place", async () => {
		const user = await temporaryFolder({ "scout.md": agent("scout", "tools: all") });
		const project = await temporaryFolder({ "scout.md": agent("scout", "tools: {read: true}") });
		const registry = await registryOf(
			{ kind: "user", path: user },
			{ kind: "project", path: project },
		);
		expect(registry.find("scout")).toMatchObject({ found: false, reason: "rejected" });
		expect(messageOf(registry, "scout")).toContain(
			`${join(project, "scout.md")}:4: error: \`tools\` is no text`,
		);
	});

	test("files of one folder are taken in the order of their names, on every machine (PARSE-11)", async () => {
		const folder = await temporaryFolder({
			"a.md": agent("same", "tools: ls"),
			"B.md": agent("same", "tools: bash"),
			"é.md": agent("other"),
		});
		const registry = await registryOf({ kind: "user", path: folder });
		expect(definitionOf(registry, "same").tools).toEqual(["bash"]);
	});
});

describe("finding", () => {
	test("case does not count", async () => {
		const registry = await registryOf({
			kind: "user",
			path: await temporaryFolder({ "a.md": agent("Reviewer") }),
		});
		for (const name of ["Reviewer", "reviewer", " REVIEWER "])
			expect(definitionOf(registry, name).name).toBe("Reviewer");
	});

	test("an unknown name is told with the nearest and all known ones", async () => {
		const folder = await temporaryFolder({
			"a.md": agent("code-reviewer"),
			"b.md": agent("secret", "hidden: true"),
			"c.md": agent("off", "enabled: false"),
		});
		const registry = await registryOf({ kind: "user", path: folder });
		const known = "Known are: code-reviewer, general-purpose, Explore, Plan.";
		expect(messageOf(registry, "code reviwer")).toBe(
			`There is no agent "code reviwer". Did you mean "code-reviewer"? ${known}`,
		);
		expect(messageOf(registry, "reviewer")).toBe(
			`There is no agent "reviewer". Did you mean "code-reviewer"? ${known}`,
		);
		expect(messageOf(registry, "")).toBe(`There is no agent without a name. ${known}`);
		expect(messageOf(registry, "zzz")).toBe(`There is no agent "zzz". ${known}`);
		expect(definitionOf(registry, "secret").hidden).toBe(true);
	});

	test("a disabled agent is there, but cannot be found to start", async () => {
		const folder = await temporaryFolder({ "off.md": agent("off", "enabled: false") });
		const registry = await registryOf({ kind: "project", path: folder });
		expect(registry.entries.find(({ name }) => name === "off")?.state).toBe("disabled");
		expect(registry.find("off")).toEqual({
			found: false,
			reason: "disabled",
			message: `The agent "off" is disabled by ${join(folder, "off.md")}.`,
			nearest: [],
		});
	});
});

describe("overrides", () => {
	const withOverride = (
		agents: Readonly<Record<string, unknown>>,
		...more: readonly Readonly<Record<string, unknown>>[]
	) =>
		new DefinitionRegistry({
			overrides: [agents, ...more].map((layer, index) => ({
				file: `settings-${index}.json`,
				agents: layer,
			})),
		});

	test("change single fields of any agent, and the rest stays (PARSE-15)", () => {
		const registry = withOverride(
			{ explore: { model: "haiku", maxTurns: 5, thinking: "low" } },
			{ Explore: { max_turns: 9 } },
		);
		const found = registry.find("Explore");
		expect(found).toMatchObject({
			definition: {
				model: ["haiku"],
				thinking: "low",
				limits: { maxTurns: 9 },
				tools: ["read", "grep", "find", "ls"],
			},
			entry: {
				overridden: {
					model: "settings-0.json",
					thinking: "settings-0.json",
					max_turns: "settings-1.json",
				},
			},
		});
		expect(definitionOf(registry, "Explore").prompt).toBe(
			definitionOf(new DefinitionRegistry(), "Explore").prompt,
		);
	});

	test("`enabled: false` in any layer wins, over the file and over later layers", async () => {
		for (const off of [
			{ Plan: { enabled: false } },
			{ plan: false },
			{ Plan: { disabled: true } },
		]) {
			const registry = withOverride(off, { Plan: { enabled: true } });
			expect(messageOf(registry, "Plan")).toBe('The agent "Plan" is disabled by settings-0.json.');
		}
		const folder = await temporaryFolder({ "off.md": agent("off", "enabled: false") });
		const registry = new DefinitionRegistry({
			folders: [{ kind: "user", path: folder }],
			overrides: [{ file: "s.json", agents: { off: { enabled: true } } }],
		});
		await registry.reload();
		expect(registry.find("off")).toMatchObject({ found: false, reason: "disabled" });
	});

	test("an override that cannot be read with certainty makes the agent unusable, and says where", () => {
		for (const override of [
			{ tools: { read: true } },
			{ isolated: "perhaps" },
			{ toolz: "read", tools: undefined },
			7,
			[],
			"haiku",
		]) {
			const registry = withOverride({ "general-purpose": override });
			expect(registry.find("general-purpose")).toMatchObject({ found: false, reason: "rejected" });
			expect(messageOf(registry, "general-purpose")).toContain("settings-0.json: error:");
		}
	});

	test("an empty value takes a field back to undecided", async () => {
		const folder = await temporaryFolder({ "a.md": agent("a", "model: fake/big") });
		const registry = new DefinitionRegistry({
			folders: [{ kind: "user", path: folder }],
			overrides: [{ file: "s.json", agents: { a: { model: null } } }],
		});
		await registry.reload();
		expect(definitionOf(registry, "a").model).toBeUndefined();
	});

	test("an override of no agent, and one that renames, are told", () => {
		const registry = withOverride({ Explor: { model: "haiku" }, Plan: { name: "Other" } });
		expect(registry.diagnostics.map(({ what, fix }) => `${what}. ${fix}`)).toEqual([
			'The override of the agent "Plan" has a `name`. Leave it out',
			'There is an override of the agent "Explor". Write "Explore" if that is what you mean',
		]);
	});

	test("new overrides are in force at once", () => {
		const registry = new DefinitionRegistry();
		registry.configure({ overrides: [{ file: "s.json", agents: { Plan: false } }] });
		expect(registry.find("Plan").found).toBe(false);
		registry.configure({ overrides: [] });
		expect(registry.find("Plan").found).toBe(true);
	});
});

describe("registration at run time", () => {
	test("is checked as a file is", () => {
		const registry = new DefinitionRegistry();
		const register = (definition: object) =>
			registry.register(definition as RuntimeDefinition, "extension x");
		const good = register({
			name: "Scout",
			description: "d",
			prompt: "p",
			tools: ["Read", "Bash(ls:*)"],
			limits: { maxTurns: 3 },
			displayName: "The Scout",
		});
		expect(good.registered).toBe(true);
		expect(good.diagnostics.map(formatDiagnostic).join()).toContain(
			'extension x: warning: `tools` names "Bash(ls:*)"',
		);
		expect(definitionOf(registry, "scout")).toEqual({
			name: "Scout",
			description: "d",
			displayName: "The Scout",
			prompt: "p",
			tools: ["read"],
			limits: { maxTurns: 3 },
			source: { kind: "runtime" },
		});
		for (const bad of [
			{ name: "../x", description: "d", prompt: "p" },
			{ name: "x", prompt: "p" },
			{ name: "x", description: "d" },
			{ name: "x", description: "d", prompt: "p", tools: { read: true } },
			{ name: "x", description: "d", prompt: "p", toolz: ["read"] },
		]) {
			const refused = register(bad);
			expect(refused.registered).toBe(false);
			expect(refused.diagnostics.some(({ severity }) => severity === "error")).toBe(true);
			expect(registry.find("x").found).toBe(false);
		}
	});

	test("the first of two with one name stays, and both are named", () => {
		const registry = new DefinitionRegistry();
		const first = registry.register(
			{ name: "a", description: "d", prompt: "first" },
			"extension x",
		);
		registry.register({ name: "A", description: "d", prompt: "second" }, "extension y");
		expect(definitionOf(registry, "a").prompt).toBe("first");
		expect(registry.diagnostics.map(formatDiagnostic).join()).toMatch(/extension x.*extension y/);
		first.unregister();
		expect(definitionOf(registry, "a").prompt).toBe("second");
	});
});

describe("reading", () => {
	test("a file is read again only when its time or size changes", async () => {
		const folder = await temporaryFolder({ "a.md": agent("a"), "b.md": agent("b") });
		const registry = await registryOf({ kind: "user", path: folder });
		const [a, b] = [definitionOf(registry, "a"), definitionOf(registry, "b")];
		expect(await registry.reload()).toBe(false);
		expect(definitionOf(registry, "a")).toBe(a);
		await writeFile(join(folder, "b.md"), agent("b", "tools: ls, grep"));
		expect(await registry.reload()).toBe(true);
		expect(definitionOf(registry, "a")).toBe(a);
		expect(definitionOf(registry, "b").tools).toEqual(["ls", "grep"]);
		expect(b.tools).toEqual(["read"]);
		await utimes(join(folder, "a.md"), new Date(1), new Date(1));
		expect(await registry.reload()).toBe(true);
		expect(definitionOf(registry, "a")).not.toBe(a);
	});

	test("new, removed and renamed files are seen, and so is a new folder", async () => {
		const folder = join(await temporaryFolder(), "agents");
		const registry = await registryOf({ kind: "user", path: folder });
		expect(registry.files).toEqual([]);
		await mkdir(folder);
		await writeFile(join(folder, "a.md"), agent("a"));
		expect(await registry.reload()).toBe(true);
		expect(registry.find("a").found).toBe(true);
		await rm(join(folder, "a.md"));
		expect(await registry.reload()).toBe(true);
		expect(registry.find("a").found).toBe(false);
		registry.configure({ folders: [] });
		expect(await registry.reload()).toBe(true);
	});

	test("a reload sees what was on disk when it was called, even during another one", async () => {
		const folder = await temporaryFolder({ "a.md": agent("a") });
		const registry = new DefinitionRegistry({ folders: [{ kind: "user", path: folder }] });
		const first = registry.reload();
		await writeFile(join(folder, "b.md"), agent("b"));
		await Promise.all([registry.reload(), registry.reload(), first]);
		expect(registry.find("b").found).toBe(true);
	});

	test("links are followed, each real file counts once, and circles end (PARSE-10)", async () => {
		const root = await temporaryFolder({ "b.md": agent("linked") });
		const real = join(root, "real");
		await mkdir(real);
		await writeFile(join(real, "c.md"), agent("real"));
		await symlink("../b.md", join(real, "a.md"));
		await symlink("c.md", join(real, "again.md"));
		await symlink(".", join(real, "loop"));
		await symlink("circle.md", join(real, "circle.md"));
		await symlink("nowhere.md", join(real, "dangling.md"));
		await symlink(real, join(root, "agents"));
		const registry = await registryOf(
			{ kind: "user", path: real },
			{ kind: "project", path: join(root, "agents") },
		);
		expect(definitionOf(registry, "linked").source).toEqual({
			kind: "project",
			file: join(root, "agents", "a.md"),
		});
		expect(
			registry.files.map(({ file, result }) => [file.slice(root.length), result.outcome]),
		).toEqual([
			["/agents/a.md", "load"],
			["/agents/again.md", "load"],
			["/agents/circle.md", "reject"],
			["/agents/dangling.md", "reject"],
		]);
		expect(registry.diagnostics.map(({ why }) => why)).toEqual([
			"it is a link that leads in a circle",
			"it is a link that leads nowhere",
		]);
	});

	test.runIf(process.getuid?.() !== 0)(
		"a file that may not be read is named, and read once it may be",
		async () => {
			const folder = await temporaryFolder({ "a.md": agent("a"), "b.md": agent("b") });
			await chmod(join(folder, "a.md"), 0);
			const registry = await registryOf({ kind: "user", path: folder });
			expect(registry.find("b").found).toBe(true);
			expect(messageOf(registry, "a")).toContain("permission is denied");
			expect(await registry.reload()).toBe(false);
			await chmod(join(folder, "a.md"), 0o600);
			expect(await registry.reload()).toBe(true);
			expect(registry.find("a").found).toBe(true);
		},
	);

	test("a folder that is named like a file, an oversized file and a folder that is none are told, once each (PARSE-01)", async () => {
		const folder = await temporaryFolder({
			"good.md": agent("good"),
			"large.md": `${agent("large")}${"x".repeat(1024 * 1024)}`,
		});
		await mkdir(join(folder, "x.md"));
		const registry = await registryOf(
			{ kind: "user", path: folder },
			{ kind: "project", path: join(folder, "good.md") },
		);
		expect(registry.find("good").found).toBe(true);
		expect(
			registry.diagnostics.map(({ severity, file, why }) => [
				severity,
				file.slice(folder.length),
				why,
			]),
		).toEqual([
			["warning", "/good.md", "it is not a folder"],
			["error", "/large.md", "it is larger than 1 MB"],
			["warning", "/x.md", "it is left out"],
		]);
	});

	test("folders below and hidden files are never looked at (PARSE-12)", async () => {
		const folder = await temporaryFolder({
			"a.md": agent("a"),
			".b.md": agent("b"),
			"c.txt": agent("c"),
		});
		for (const below of ["node_modules", ".git", "sub"]) {
			await mkdir(join(folder, below));
			await link(join(folder, "a.md"), join(folder, below, "d.md"));
		}
		const registry = await registryOf({ kind: "project", path: folder });
		expect(registry.files.map(({ file }) => file)).toEqual([join(folder, "a.md")]);
	});

	test("the standard folders belong to the user and the project", () => {
		expect(standardFolders({ agentDir: "/home/me/.pi/agent", cwd: "/project" })).toEqual([
			{ kind: "user", path: "/home/me/.pi/agent/agents" },
			{ kind: "project", path: "/project/.agents/agents" },
			{ kind: "project", path: "/project/.pi/agents" },
		]);
	});
});
