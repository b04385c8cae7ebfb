import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toolRights } from "../src/child/tool-rights.js";
import { OWN_TOOLS } from "../src/own-tools.js";

const PARENT = ["read", "bash", "edit", "write", "weather"];

function allowed(rights: ReturnType<typeof toolRights>, names: readonly string[]): string[] {
	return names.filter(rights.allows);
}

describe("a definition that lists no tools", () => {
	test("gets the parent's active tools and what registers late", () => {
		const rights = toolRights({}, false, PARENT);
		expect(allowed(rights, ["read", "bash", "weather", "late_tool"])).toEqual([
			"read",
			"bash",
			"weather",
			"late_tool",
		]);
		expect(rights.names).toBeUndefined();
	});

	test("gets nothing that a narrowed parent lacks, known to it or not (PERM-03)", () => {
		const rights = toolRights({}, false, ["read", "grep"]);
		expect(allowed(rights, ["read", "grep", "bash", "write", "late_tool"])).toEqual([
			"read",
			"grep",
		]);
	});

	test("does not get host tools that the parent has not switched on", () => {
		expect(allowed(toolRights({}, false, PARENT), ["grep", "find", "ls"])).toEqual([]);
	});
});

describe("a definition that lists tools", () => {
	test("gets what it lists", () => {
		const rights = toolRights({ tools: ["read", "grep"] }, false, PARENT);
		expect(allowed(rights, ["read", "grep", "bash"])).toEqual(["read", "grep"]);
		expect(rights.names).toEqual(["read", "grep"]);
	});

	test("gets none for an empty list (PERM-05)", () => {
		const rights = toolRights({ tools: [] }, false, PARENT);
		expect(allowed(rights, PARENT)).toEqual([]);
		expect(rights.names).toEqual([]);
	});

	test("takes `*` as any characters and everything else literally", () => {
		const rights = toolRights({ tools: ["mcp__a__*", "re.d"] }, false, PARENT);
		expect(allowed(rights, ["mcp__a__list", "mcp__b__list", "read", "re.d"])).toEqual([
			"mcp__a__list",
			"re.d",
		]);
	});
});

test("what is disallowed wins over what is listed, with patterns (PERM-09)", () => {
	const rights = toolRights(
		{ tools: ["*"], disallowedTools: ["mcp__srv__*", "bash"] },
		false,
		PARENT,
	);
	expect(allowed(rights, ["read", "bash", "mcp__srv__x", "mcp__other__x"])).toEqual([
		"read",
		"mcp__other__x",
	]);
});

test("an isolated agent has only the host's own tools", () => {
	const rights = toolRights({ tools: ["*"] }, true, PARENT);
	expect(allowed(rights, ["read", "bash", "weather"])).toEqual(["read", "bash"]);
});

test("no definition grants the tools that start agents (RECUR-01)", () => {
	const patterns = fc.array(
		fc.oneof(fc.constantFrom("*", "subagent", "s*", "*_subagent"), fc.string()),
	);
	fc.assert(
		fc.property(patterns, fc.boolean(), (tools, isolated) => {
			const rights = toolRights({ tools }, isolated, [...PARENT, ...OWN_TOOLS]);
			expect(allowed(rights, [...OWN_TOOLS])).toEqual([]);
			for (const name of OWN_TOOLS) expect(rights.names ?? []).not.toContain(name);
		}),
	);
});

describe("the tools of this extension", () => {
	test("are there for an agent that may delegate, whatever else it lists, unless they are disallowed", () => {
		const own = [...OWN_TOOLS];
		const rights = toolRights({ tools: ["read"] }, true, ["read"], true);
		expect(allowed(rights, [...own, "bash"])).toEqual(own);
		expect(rights.names).toEqual(["read", ...own]);
		expect(
			toolRights({ disallowedTools: ["stop_*"] }, false, PARENT, true).allows("stop_subagent"),
		).toBe(false);
	});
});
