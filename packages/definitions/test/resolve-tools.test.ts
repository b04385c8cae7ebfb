import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HOST_TOOLS, nearestNames, resolveTools } from "../src/index.js";

const SESSION = [...HOST_TOOLS, "mcp__srv__one", "mcp__srv__two", "mcp__other__one", "web_search"];
const granted = (tools: readonly string[] | undefined, disallowedTools?: readonly string[]) =>
	resolveTools({ ...(tools && { tools }), ...(disallowedTools && { disallowedTools }) }, SESSION)
		.granted;

describe("resolveTools", () => {
	test("no list is all, an empty one none, and `*` all", () => {
		expect(granted(undefined)).toEqual(SESSION);
		expect(granted(["*"])).toEqual(SESSION);
		expect(granted([])).toEqual([]);
	});

	test("names and patterns pick what is there", () => {
		expect(granted(["web_search", "read"])).toEqual(["read", "web_search"]);
		expect(granted(["mcp__srv__*", "grep"])).toEqual(["grep", "mcp__srv__one", "mcp__srv__two"]);
		expect(granted(["mcp__*__one"])).toEqual(["mcp__srv__one", "mcp__other__one"]);
		expect(granted(["Read", "mcp__srv"])).toEqual([]);
	});

	test("the denylist wins, whatever its case", () => {
		expect(granted(["*"], ["mcp__*", "BASH", "write"])).toEqual([
			"read",
			"edit",
			"grep",
			"find",
			"ls",
			"powershell",
			"web_search",
		]);
		expect(granted(["bash"], ["bash"])).toEqual([]);
		expect(granted(undefined, ["*"])).toEqual([]);
	});

	test("a tool that registers late is denied by the same pattern", () => {
		const late = [...SESSION, "mcp__srv__late"];
		expect(resolveTools({ disallowedTools: ["mcp__srv__*"] }, late).granted).not.toContain(
			"mcp__srv__late",
		);
		expect(resolveTools({ tools: ["mcp__srv__*"] }, late).granted).toContain("mcp__srv__late");
	});

	test("what is not there is named with the nearest tools", () => {
		const tools = ["raed", "read", "mcp__gone__*", "mcp__srv__on", "zzz"];
		expect(resolveTools({ tools }, SESSION).unknown).toEqual([
			{ list: "tools", name: "raed", nearest: ["read"] },
			{ list: "tools", name: "mcp__gone__*", nearest: [] },
			{ list: "tools", name: "mcp__srv__on", nearest: ["mcp__srv__one", "mcp__srv__two"] },
			{ list: "tools", name: "zzz", nearest: [] },
		]);
	});

	test("a misspelt denial is named if the tool that it may mean is granted", () => {
		const disallowedTools = ["wirte", "gone", "Bash", "mcp__x__*"];
		expect(resolveTools({ disallowedTools }, SESSION).unknown).toEqual([
			{ list: "disallowed_tools", name: "wirte", nearest: ["write"] },
		]);
		expect(resolveTools({ tools: ["read"], disallowedTools }, SESSION).unknown).toEqual([]);
	});

	test("only available tools are granted, only named ones, and none that is denied", () => {
		const name = fc.string({ unit: fc.constantFrom("a", "b", "_", "*"), maxLength: 5 });
		const tool = name.map((text) => text.replaceAll("*", "c"));
		fc.assert(
			fc.property(
				fc.array(name),
				fc.array(name),
				fc.uniqueArray(tool),
				(tools, denied, available) => {
					const names = resolveTools({ tools, disallowedTools: denied }, available).granted;
					const matches = (list: readonly string[], text: string): boolean =>
						list.some((pattern) => new RegExp(`^${pattern.replaceAll("*", ".*")}$`).test(text));
					expect(names).toEqual(
						available.filter((text) => matches(tools, text) && !matches(denied, text)),
					);
				},
			),
		);
	});
});

describe("nearestNames", () => {
	test.each([
		["reviwer", ["reviewer", "scout"], ["reviewer"]],
		["Reviewer", ["scout", "reviewer"], ["reviewer"]],
		["code reviewer", ["reviewer", "code-reviewer"], ["code-reviewer", "reviewer"]],
		["exlpore", ["Explore", "Plan"], ["Explore"]],
		["x", ["Explore", "y"], ["y"]],
		["", ["Explore"], []],
		["nothing like it", ["Explore"], []],
	])("%j among %j is %j", (query, names, expected) => {
		expect(nearestNames(query, names)).toEqual(expected);
	});

	test("a text of any length is fine", () => {
		expect(nearestNames("x".repeat(1_000_000), ["Explore"])).toEqual([]);
	});
});
