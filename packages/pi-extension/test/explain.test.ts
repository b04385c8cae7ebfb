import { DefinitionRegistry, type RegistryEntry } from "@pi-subagents/definitions";
import { expect, test } from "vitest";
import { explainType } from "../src/commands/explain-type.js";
import { defaultSettings, type Settings } from "../src/settings.js";

const MODELS = {
	available: [{ provider: "mock", id: "m1" }],
	parent: { provider: "mock", id: "m1" },
};

function entryOf(registry: DefinitionRegistry, name: string): RegistryEntry {
	const entry = registry.entries.find((other) => other.name === name);
	if (entry === undefined) throw new Error(`There is no ${name}.`);
	return entry;
}

test("explain gives every value of a type with where it comes from, and what it is if nobody decided it", () => {
	const file = "/agent/subagents.json";
	const registry = new DefinitionRegistry({
		overrides: [{ file, agents: { Explore: { max_turns: 9 } } }],
	});
	const defaults = defaultSettings();
	const settings: Settings = {
		...defaults,
		limits: { ...defaults.limits, maxSeconds: 60 },
		decidedBy: { maxSeconds: "/project/.pi/subagents.json" },
	};
	const lines = explainType(entryOf(registry, "Explore"), settings, MODELS).split("\n");
	expect(lines.slice(0, 2)).toEqual(["Finds things in the code. Read-only.", "source: builtin"]);
	for (const line of [
		"model: inherit = mock/m1 (default)",
		"thinking: the parent's (default)",
		"max_turns: 9 (override /agent/subagents.json)",
		"grace_turns: 5 (default)",
		"max_seconds: 60 (setting /project/.pi/subagents.json)",
		"max_cost: no limit (default)",
		"cwd: the parent's (default)",
		"tools: read, grep, find, ls (its definition)",
		"extensions: the parent's (default)",
		"skills: all that pi finds (default)",
		"subagents: none (default)",
	]) {
		expect(lines).toContain(line);
	}
});

test("explain says which model is not there, and why a type cannot be started", () => {
	const agents = { Plan: { model: "sonnet", locked: "model" }, Explore: 7 };
	const registry = new DefinitionRegistry({ overrides: [{ file: "/s.json", agents }] });
	const plan = explainType(entryOf(registry, "Plan"), defaultSettings(), MODELS);
	expect(plan).toContain(
		'\nmodel: sonnet = There is no model "sonnet" with working credentials. (override /s.json)\n',
	);
	expect(plan).toContain("\nlocked: a call cannot change model\n");
	expect(explainType(entryOf(registry, "Explore"), defaultSettings(), MODELS)).toMatch(
		/^It cannot be started\.\n\n\/s\.json: error: The override of the agent "Explore" is no object/,
	);
});
