import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type AgentCatalog, createCatalog } from "../src/catalog.js";
import { defaultSettings } from "../src/settings.js";

let root: string;
let catalog: AgentCatalog;
beforeEach(async () => {
	root = await mkdtemp(join(tmpdir(), "catalog-"));
	await mkdir(join(root, "agents"));
	catalog = createCatalog();
	catalog.open({
		agentDir: root,
		cwd: join(root, "project"),
		packages: [],
		accept: (_, kind) => kind !== "project",
		whyWithheld: () => "the user refused",
	});
	await catalog.refresh();
});
afterEach(() => rm(root, { recursive: true }));

const SCOUT = { name: "scout", description: "Finds things", prompt: "Find.", tools: ["read"] };
const BAD = "---\nname: bad\ndescription: d\ntools: {a: b}\n---\n";
const names = (): readonly string[] => catalog.advertised().map(({ name }) => name);

test("a type that another extension registers is there until it is unregistered, and the model is told of both", async () => {
	const registration = catalog.register(SCOUT, "the extension tracker");
	expect(registration).toMatchObject({ registered: true, diagnostics: [] });
	expect(catalog.find("Scout")).toMatchObject({ definition: { source: { kind: "runtime" } } });
	expect(await catalog.refresh()).toBe(true);
	expect(await catalog.refresh()).toBe(false);
	expect(names()).toContain("scout");

	registration.unregister();
	registration.unregister();
	expect(catalog.find("scout")).toMatchObject({ problem: expect.stringMatching(/^There is no/) });
	expect(await catalog.refresh()).toBe(true);
	expect(names()).not.toContain("scout");
});

test("what a registration shadows is back when it is gone, overrides hold for it, and both places are named", async () => {
	await writeFile(join(root, "agents", "scout.md"), "---\nname: scout\ndescription: User\n---\n");
	await catalog.refresh();
	const registration = catalog.register(SCOUT, "the extension tracker");
	const agents = { scout: { max_turns: 3 } };
	catalog.configure({ ...defaultSettings(), agents: [{ file: "/s.json", agents }] });
	expect(catalog.find("scout")).toMatchObject({
		definition: { description: "Finds things", limits: { maxTurns: 3 } },
	});
	const [problem = ""] = catalog.takeProblems();
	expect(problem).toContain("the extension tracker");
	expect(problem).toContain(join(root, "agents", "scout.md"));
	registration.unregister();
	expect(catalog.find("scout")).toMatchObject({ definition: { description: "User" } });
});

test("a registration that is wrong changes nothing and says why, naming who registers", async () => {
	const wrong = catalog.register({ ...SCOUT, name: "../escape" }, "the extension tracker");
	expect(wrong.registered).toBe(false);
	expect(wrong.diagnostics).toMatchObject([{ severity: "error", file: "the extension tracker" }]);
	wrong.unregister();
	expect(await catalog.refresh()).toBe(false);
	expect(catalog.takeProblems()).toEqual([]);
});

test("a type that only waits for consent is not there, and the error says where it is and why", async () => {
	const folder = join(root, "project", ".pi", "agents");
	await mkdir(folder, { recursive: true });
	await writeFile(join(folder, "helper.md"), "---\nname: helper\ndescription: d\n---\n");
	expect(await catalog.refresh()).toBe(false);
	expect(catalog.withheld.map(({ file }) => file)).toEqual([join(folder, "helper.md")]);
	expect(catalog.find("Helper")).toEqual({
		problem: `There is no agent "Helper". Known are: general-purpose, Explore, Plan. ${join(folder, "helper.md")} does not count: the user refused.`,
	});
});

test("what is wrong is said once, also after it was away and came back (PARSE-01)", async () => {
	const file = join(root, "agents", "bad.md");
	await writeFile(file, BAD);
	await catalog.refresh();
	expect(catalog.takeProblems()).toEqual([expect.stringContaining(file)]);
	await rm(file);
	await catalog.refresh();
	await writeFile(file, BAD);
	await catalog.refresh();
	expect(catalog.takeProblems()).toEqual([]);
});
