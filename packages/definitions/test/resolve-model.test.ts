import { describe, expect, test } from "vitest";
import {
	type MatchableModel,
	type ModelChoices,
	type ModelQuery,
	resolveModel,
} from "../src/index.js";

function model(name: string, input = 1): MatchableModel {
	const slash = name.indexOf("/");
	return {
		provider: name.slice(0, slash),
		id: name.slice(slash + 1),
		cost: { input, output: 5 * input },
	};
}

const AVAILABLE = [
	model("anthropic/claude-3-5-sonnet-20241022", 3),
	model("anthropic/claude-sonnet-4-20250514", 3),
	model("anthropic/claude-sonnet-4-5", 3),
	model("anthropic/claude-sonnet-4-5-20250929", 3),
	model("anthropic/claude-opus-4-1", 15),
	model("anthropic/claude-haiku-4-5", 1),
	model("openai/gpt-5", 1.25),
	model("openai/gpt-5-mini", 0.25),
	model("openai/gpt-5-pro", 15),
	model("openai/gpt-5.2", 1.75),
	model("openrouter/anthropic/claude-sonnet-4-5", 3),
	model("openrouter/openai/gpt-5", 1.25),
	model("hub/org/model-x:fast"),
	model("org/model-x"),
];

function resolve(
	query: ModelQuery | readonly ModelQuery[] | undefined,
	choices: Partial<ModelChoices<MatchableModel>> = {},
): string {
	const result = resolveModel(query, { available: AVAILABLE, ...choices });
	return result.found
		? `${result.match} ${result.model.provider}/${result.model.id}`
		: result.message;
}

const parent = model("openai/gpt-5");

describe("one model", () => {
	test.each([
		["openai/gpt-5", "exact openai/gpt-5"],
		["OpenAI/GPT-5", "exact openai/gpt-5"],
		["openrouter/openai/gpt-5", "exact openrouter/openai/gpt-5"],
		["hub/org/model-x:fast", "exact hub/org/model-x:fast"],
		["org/model-x:fast", "exact hub/org/model-x:fast"],
		["org/model-x", "exact org/model-x"],
		["model-x:fast", "exact hub/org/model-x:fast"],
		["claude-opus-4-1", "exact anthropic/claude-opus-4-1"],
		["opus", "alias anthropic/claude-opus-4-1"],
		["Haiku", "alias anthropic/claude-haiku-4-5"],
		["sonnet", "alias anthropic/claude-sonnet-4-5"],
		["sonnet 4", "fuzzy anthropic/claude-sonnet-4-20250514"],
		["anthropic/sonnet", "fuzzy anthropic/claude-sonnet-4-5"],
		["openrouter/sonnet", "fuzzy openrouter/anthropic/claude-sonnet-4-5"],
		["gpt", "fuzzy openai/gpt-5.2"],
		["gpt mini", "fuzzy openai/gpt-5-mini"],
		["gpt pro", "fuzzy openai/gpt-5-pro"],
	])("%s is %s", (query, expected) => {
		expect(resolve(query)).toBe(expected);
	});

	test("an ambiguous short name is an error that lists all (MODEL-05)", () => {
		expect(resolve("model-x")).toBe(
			'The model "model-x" is ambiguous: it may be hub/org/model-x:fast and org/model-x. Write the provider, too.',
		);
		expect(resolve("gpt-5")).toBe(
			'The model "gpt-5" is ambiguous: it may be openai/gpt-5 and openrouter/openai/gpt-5. Write the provider, too.',
		);
	});

	test("the parent's provider decides between models of one name", () => {
		expect(resolve("gpt-5", { parent })).toBe("exact openai/gpt-5");
		expect(resolve("claude-sonnet-4-5", { parent: model("openrouter/x") })).toBe(
			"exact openrouter/anthropic/claude-sonnet-4-5",
		);
		expect(resolve("sonnet", { parent: model("openrouter/x") })).toBe(
			"alias openrouter/anthropic/claude-sonnet-4-5",
		);
	});

	test("among equals the cheaper one is taken, and then the first by alphabet", () => {
		const available = [
			model("b/big-sonnet-4", 3),
			model("c/big-sonnet-4", 2),
			model("a/big-sonnet-4", 3),
		];
		expect(resolve("sonnet", { available })).toBe("alias c/big-sonnet-4");
		expect(
			resolve("sonnet", { available: available.filter(({ provider }) => provider !== "c") }),
		).toBe("alias a/big-sonnet-4");
	});

	test("the order of the models does not matter", () => {
		for (const query of ["sonnet", "gpt", "model", "claude"]) {
			expect(resolve(query, { available: AVAILABLE.toReversed() })).toBe(resolve(query));
		}
	});

	test("a model without credentials is said to have none, and no other is taken for it", () => {
		const known = [...AVAILABLE, model("google/gemini-3"), model("other/claude-opus-4-1")];
		expect(resolve("google/gemini-3", { known })).toBe(
			'The model "google/gemini-3" has no working credentials.',
		);
		expect(resolve("gemini-3", { known })).toBe('The model "gemini-3" has no working credentials.');
		expect(resolve("other/claude-opus-4-1", { known })).toBe(
			'The model "other/claude-opus-4-1" has no working credentials.',
		);
	});

	test("an unknown model is told with similar ones", () => {
		expect(resolve("fake/none")).toBe('There is no model "fake/none" with working credentials.');
		expect(resolve("anthropic/claude-opus-4-2")).toContain("Similar are anthropic/claude-opus-4-1");
		expect(resolve("sonet-4-5")).toContain("There is no model");
		expect(resolve("anthropic/sonnet:high")).toContain("There is no model");
		expect(resolve("openai/sonnet")).toContain("There is no model");
	});

	test("an object is as good as its name, and nothing means the parent's (MODEL-02)", () => {
		expect(resolve({ provider: "openai", id: "gpt-5" })).toBe("exact openai/gpt-5");
		expect(resolve(model("hub/org/model-x:fast"))).toBe("exact hub/org/model-x:fast");
		for (const nothing of [undefined, "", " ", [], [""]]) {
			expect(resolve(nothing, { parent })).toBe("inherit openai/gpt-5");
			expect(resolve(nothing)).toBe("There is no model to inherit, because the parent has none.");
		}
	});
});

describe("an ordered list", () => {
	test("gives the first that there is, and names what was skipped", () => {
		const result = resolveModel(["fake/none", "model-x", "haiku", "opus"], {
			available: AVAILABLE,
		});
		expect(result).toMatchObject({
			found: true,
			query: "haiku",
			match: "alias",
			model: { id: "claude-haiku-4-5" },
			skipped: [
				{ query: "fake/none", reason: 'There is no model "fake/none" with working credentials.' },
				{ query: "model-x", reason: expect.stringContaining("ambiguous") },
			],
		});
	});

	test("never falls back to the parent's model unless it says so (MODEL-01)", () => {
		expect(resolve(["fake/none", "fake/other"], { parent })).toBe(
			'There is no model "fake/none" with working credentials. There is no model "fake/other" with working credentials.',
		);
		expect(resolve(["fake/none", "inherit"], { parent })).toBe("inherit openai/gpt-5");
	});

	test("without any model there is an error and no crash", () => {
		expect(resolve("sonnet", { available: [] })).toBe(
			'There is no model "sonnet" with working credentials.',
		);
	});
});
