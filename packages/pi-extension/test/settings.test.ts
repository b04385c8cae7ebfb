import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
	defaultSettings,
	loadSettings,
	type ProjectSettings,
	parseSetting,
	saveAgentEnabled,
	saveSetting,
} from "../src/settings.js";

let root: string;
let user: string;
let project: string;

beforeEach(async () => {
	root = await mkdtemp(join(tmpdir(), "settings-"));
	user = join(root, "agent");
	project = join(root, "project");
	await mkdir(user);
	await mkdir(join(project, ".pi"), { recursive: true });
});
afterEach(() => rm(root, { recursive: true, force: true }));

const userFile = (): string => join(user, "subagents.json");
const projectFile = (): string => join(project, ".pi", "subagents.json");
const ofProject = (accepted = true): ProjectSettings => ({
	file: projectFile(),
	accepts: () => accepted,
});

describe("loadSettings", () => {
	test("gives the defaults where there is no file, and says nothing", async () => {
		expect(await loadSettings(user, ofProject())).toEqual({
			settings: defaultSettings(),
			problems: [],
		});
		expect(defaultSettings().maxConcurrent).toBe(10);
		expect(defaultSettings().interruptBackground).toBe(false);
	});

	test("lets the project's file win, key by key", async () => {
		await writeFile(userFile(), '{"maxConcurrent":3,"maxTurns":7}');
		await writeFile(projectFile(), '{"maxConcurrent":5}');
		const { settings } = await loadSettings(user, ofProject());
		expect(settings.maxConcurrent).toBe(5);
		expect(settings.limits.maxTurns).toBe(7);
	});

	test("does not read the file of a project that is not trusted", async () => {
		await writeFile(projectFile(), '{"maxConcurrent":5}');
		expect((await loadSettings(user, undefined)).settings.maxConcurrent).toBe(10);
	});

	test.each([
		[0, "0"],
		[-1, "-1"],
		["3", '"3"'],
		[1.5, "1.5"],
		[null, "null"],
	])("replaces maxConcurrent %s by the default and says why (CONC-06)", async (value, shown) => {
		await writeFile(userFile(), JSON.stringify({ maxConcurrent: value }));
		expect(await loadSettings(user, undefined)).toEqual({
			settings: defaultSettings(),
			problems: [
				`The setting maxConcurrent is ${shown}; it must be a whole number of 1 or more. 10 is used.`,
			],
		});
	});

	test("reads what worktrees begin with and share, and says what cannot be", async () => {
		await writeFile(
			userFile(),
			'{"isolation":"worktree","worktreeBase":" main ","worktreeLink":["node_modules"],"worktreeCopy":[".env"]}',
		);
		const { settings } = await loadSettings(user, undefined);
		expect(settings).toMatchObject({
			isolation: "worktree",
			worktreeBase: "main",
			worktreeLink: ["node_modules"],
			worktreeCopy: [".env"],
		});
		await writeFile(userFile(), '{"isolation":"docker","worktreeBase":3,"worktreeLink":"x"}');
		expect((await loadSettings(user, undefined)).problems).toEqual([
			'The setting isolation is "docker"; it must be none or worktree. none is used.',
			"The setting worktreeBase is 3; it must be a text. working-state is used.",
			'The setting worktreeLink is "x"; it must be a list of names. None are used.',
		]);
	});

	test("names a key that it does not know", async () => {
		await writeFile(userFile(), '{"maxConcurrency":3}');
		expect((await loadSettings(user, undefined)).problems[0]).toMatch(
			/^The setting maxConcurrency is unknown; known are maxConcurrent, /,
		);
	});

	test("ignores a file that is no JSON object, and names it", async () => {
		await writeFile(userFile(), "{");
		await writeFile(projectFile(), "[]");
		const { settings, problems } = await loadSettings(user, ofProject());
		expect(settings).toEqual(defaultSettings());
		expect(problems.map((problem) => problem.split(" is ignored")[0]).toSorted()).toEqual(
			[userFile(), projectFile()].toSorted(),
		);
	});
});

describe("what a project says", () => {
	test("counts only if it is accepted, and never makes its own agents count", async () => {
		await writeFile(projectFile(), '{"maxTurns":7,"projectAgents":"always"}');
		const withheld = await loadSettings(user, ofProject(false));
		expect(withheld).toEqual({ settings: defaultSettings(), problems: [] });
		const { settings, problems } = await loadSettings(user, ofProject());
		expect(settings.limits.maxTurns).toBe(7);
		expect(settings.decidedBy).toEqual({ maxTurns: projectFile() });
		expect(settings.projectAgents).toBe("ask");
		expect(problems).toEqual([
			`The setting projectAgents in ${projectFile()} is ignored: a project cannot say that its own agents count.`,
		]);
	});
});

describe("saveAgentEnabled", () => {
	test("disables an agent and enables it again, and keeps its other overrides", async () => {
		await writeFile(userFile(), '{"maxTurns":7,"agents":{"explore":{"model":"haiku"}}}');
		const saved = async () => JSON.parse(await readFile(userFile(), "utf8"));
		await saveAgentEnabled(userFile(), "Explore", false);
		await saveAgentEnabled(userFile(), "Plan", false);
		const disabled = { explore: { model: "haiku", enabled: false }, Plan: false };
		expect(await saved()).toEqual({ maxTurns: 7, agents: disabled });
		await saveAgentEnabled(userFile(), "Explore", true);
		await saveAgentEnabled(userFile(), "Plan", true);
		expect(await saved()).toEqual({ maxTurns: 7, agents: { explore: { model: "haiku" } } });
	});
});

describe("saveSetting", () => {
	test("changes one key and keeps the others, known or not", async () => {
		await writeFile(userFile(), '{"mine":1,"maxTurns":7}');
		await saveSetting(userFile(), "maxConcurrent", 4);
		expect(JSON.parse(await readFile(userFile(), "utf8"))).toEqual({
			mine: 1,
			maxTurns: 7,
			maxConcurrent: 4,
		});
	});

	test("refuses to overwrite a file that it cannot read", async () => {
		await writeFile(userFile(), "{");
		await expect(saveSetting(userFile(), "maxConcurrent", 4)).rejects.toThrow("is ignored");
		expect(await readFile(userFile(), "utf8")).toBe("{");
	});
});

describe("parseSetting", () => {
	test("reads numbers and choices", () => {
		expect(parseSetting("maxConcurrent", " 4 ")).toEqual({ value: 4 });
		expect(parseSetting("interruptBackground", "true")).toEqual({ value: true });
		expect(parseSetting("widget", "off")).toEqual({ value: "off" });
		expect(parseSetting("worktreeBase", " main ")).toEqual({ value: "main" });
	});

	test.each([
		["maxConcurrent", "", "a whole number of 1 or more"],
		["maxConcurrent", "5abc", "a whole number of 1 or more"],
		["widget", "big", "full or compact or off"],
	] as const)("says what is wrong with %s: %j, and not what would be used", (key, text, range) => {
		expect(parseSetting(key, text)).toBe(
			`The setting ${key} is ${JSON.stringify(text)}; it must be ${range}.`,
		);
	});
});
