import { DefinitionRegistry } from "@pi-subagents/definitions";
import { expect, test } from "vitest";
import { explainType } from "../src/commands/types-menu.js";
import { defaultSettings } from "../src/settings.js";

test("explain gives every value of a type with where it comes from", () => {
	const registry = new DefinitionRegistry({
		overrides: [{ file: "/agent/subagents.json", agents: { Explore: { max_turns: 9 } } }],
	});
	const entry = registry.entries.find(({ name }) => name === "Explore");
	if (entry === undefined) throw new Error("There is no Explore.");
	const settings = defaultSettings();
	const text = explainType(entry, {
		...settings,
		limits: { ...settings.limits, maxSeconds: 60 },
		decidedBy: { maxSeconds: "/agent/subagents.json" },
	});
	expect(text).toContain("source: builtin\n");
	expect(text).toContain("\nmax_turns: 9 (override /agent/subagents.json)\n");
	expect(text).toContain("\nmax_seconds: 60 (setting /agent/subagents.json)\n");
	expect(text).toContain("\ntools: read, grep, find, ls (file)\n");
	expect(text).toContain("\nmodel: inherit (default)\n");
});
