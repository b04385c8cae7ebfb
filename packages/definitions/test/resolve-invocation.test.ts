import { type AgentDefinition, THINKING_LEVELS } from "@pi-subagents/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
	clampThinking,
	DefinitionRegistry,
	type FieldValues,
	type InvocationRequest,
	limitsOf,
	resolveInvocation,
} from "../src/index.js";

const FILE = "/p/.pi/agents/a.md";

function define(more: Partial<AgentDefinition> = {}): AgentDefinition {
	return {
		name: "a",
		description: "d",
		prompt: "",
		source: { kind: "project", file: FILE },
		...more,
	};
}

function resolve(
	request: Omit<InvocationRequest, "definition"> & {
		readonly definition?: Partial<AgentDefinition>;
	} = {},
) {
	const result = resolveInvocation({ ...request, definition: define(request.definition) });
	if (!result.ok) throw new Error(result.message);
	return result;
}

function refusal(call: Readonly<Record<string, unknown>>): string {
	const result = resolveInvocation({ definition: define(), call });
	return result.ok ? "accepted" : result.message;
}

describe("where a value comes from", () => {
	test("nothing said: every value is a default", () => {
		const { invocation, ignored } = resolve();
		expect(Object.values(invocation).every(({ source }) => source.kind === "default")).toBe(true);
		expect(
			Object.fromEntries(Object.entries(invocation).map(([name, { value }]) => [name, value])),
		).toEqual({
			model: ["inherit"],
			run_in_background: false,
			inherit_context: false,
			isolated: false,
			isolation: "none",
			prompt_mode: "append",
			disallowed_tools: [],
			exclude_extensions: [],
			subagents: [],
			...Object.fromEntries(
				[
					"thinking",
					"max_turns",
					"grace_turns",
					"max_seconds",
					"max_tokens",
					"max_cost",
					"tool_seconds",
					"stall_seconds",
					"cwd",
					"tools",
					"extensions",
					"skills",
				].map((name) => [name, undefined]),
			),
		});
		expect(ignored).toEqual([]);
	});

	test("call beats override beats file beats setting beats default, and each is named", () => {
		const { invocation } = resolve({
			definition: {
				model: ["haiku"],
				thinking: "high",
				limits: { maxTurns: 9, maxCost: 1 },
				tools: ["read"],
			},
			overridden: { max_turns: "/s.json" },
			call: { model: "sonnet", cwd: "/elsewhere" },
			settings: { grace_turns: 3, thinking: "low" },
			settingsFile: "/global.json",
		});
		expect(invocation).toMatchObject({
			model: { value: ["sonnet"], source: { kind: "call" } },
			thinking: { value: "high", source: { kind: "file", file: FILE } },
			max_turns: { value: 9, source: { kind: "override", file: "/s.json" } },
			grace_turns: { value: 3, source: { kind: "setting", file: "/global.json" } },
			max_cost: { value: 1, source: { kind: "file", file: FILE } },
			max_seconds: { value: undefined, source: { kind: "default" } },
			tools: { value: ["read"], source: { kind: "file", file: FILE } },
			cwd: { value: "/elsewhere", source: { kind: "call" } },
		});
		expect(limitsOf(invocation)).toEqual({ maxTurns: 9, graceTurns: 3, maxCost: 1 });
	});

	test("the sources of a registry's entry are an invocation's", () => {
		const registry = new DefinitionRegistry({
			overrides: [{ file: "/s.json", agents: { Explore: { model: "haiku" } } }],
		});
		const found = registry.find("explore");
		const result =
			found.found &&
			resolveInvocation({ definition: found.definition, overridden: found.entry.overridden });
		expect(result).toMatchObject({
			ok: true,
			invocation: {
				model: { value: ["haiku"], source: { kind: "override", file: "/s.json" } },
				tools: { source: { kind: "file" } },
			},
		});
	});

	test("run_in_background: all 27 cases of call, file and setting (SCHEMA-03)", () => {
		const choices = [true, false, undefined];
		const table = choices.flatMap((call) =>
			choices.flatMap((file) =>
				choices.map((setting) => {
					const { invocation } = resolve({
						...(call !== undefined && { call: { run_in_background: call } }),
						definition: file === undefined ? {} : { runInBackground: file },
						...(setting !== undefined && { settings: { run_in_background: setting } }),
					});
					const { value, source } = invocation.run_in_background;
					return `${[call, file, setting].map((choice) => (choice === undefined ? "-" : choice ? "T" : "F")).join("")} ${value} ${source.kind}`;
				}),
			),
		);
		expect(table).toEqual([
			..."TTT TTF TT- TFT TFF TF- T-T T-F T--".split(" ").map((row) => `${row} true call`),
			..."FTT FTF FT- FFT FFF FF- F-T F-F F--".split(" ").map((row) => `${row} false call`),
			..."-TT -TF -T-".split(" ").map((row) => `${row} true file`),
			..."-FT -FF -F-".split(" ").map((row) => `${row} false file`),
			"--T true setting",
			"--F false setting",
			"--- false default",
		]);
	});
});

describe("calls", () => {
	test("inert values count as absent (SCHEMA-02)", () => {
		const definition = {
			model: ["haiku"],
			thinking: "high",
			limits: { maxTurns: 9 },
			isolation: "worktree",
		} as const;
		const quiet = resolve({ definition });
		for (const inert of ["", " ", null, 0, [], "none", "NONE", [""], undefined, "null"]) {
			const names = [
				"model",
				"thinking",
				"max_turns",
				"run_in_background",
				"inherit_context",
				"isolated",
				"isolation",
				"cwd",
			];
			const call = Object.fromEntries(names.map((name) => [name, inert]));
			expect(resolve({ definition, call }).invocation).toEqual(quiet.invocation);
		}
	});

	test("a call that says no worktree, which counts as not given, is told of the worktree", () => {
		const call = { isolation: "none" };
		const worktree = { isolation: "worktree" } as const;
		const because = (reason: string): string =>
			`\`isolation: "none"\` in a call counts as not given: the agent works in a worktree, as ${reason} says.`;
		expect(resolve({ definition: worktree, call }).ignored).toEqual([
			{ name: "isolation", reason: because("its definition") },
		]);
		expect(
			resolve({ call, settings: worktree, settingsFile: "/home/me/subagents.json" }).ignored,
		).toEqual([{ name: "isolation", reason: because("/home/me/subagents.json") }]);
		expect(resolve({ call }).ignored).toEqual([]);
		expect(resolve({ definition: worktree, call: { isolation: "" } }).ignored).toEqual([]);
	});

	test("a lock keeps a parameter out, and says so unless it makes no difference (MODEL-07)", () => {
		const definition = {
			model: ["haiku"],
			limits: { maxTurns: 9 },
			locked: ["model", "max_turns", "cwd", "thinking"],
		};
		const { invocation, ignored } = resolve({
			definition,
			call: { model: "opus", max_turns: 9, cwd: "/x", thinking: "none", isolated: true },
		});
		expect(invocation.model.value).toEqual(["haiku"]);
		expect(invocation.cwd.value).toBeUndefined();
		expect(invocation.isolated.value).toBe(true);
		expect(ignored).toEqual([
			{ name: "cwd", reason: "`cwd` was ignored: the agent's definition locks it." },
			{ name: "model", reason: "`model` was ignored: the agent's definition locks it." },
		]);
	});

	test("a call can narrow what the definition allows, but not widen it", () => {
		const isolated = resolve({ definition: { isolated: true }, call: { isolated: false } });
		expect(isolated.invocation.isolated).toEqual({
			value: true,
			source: { kind: "file", file: FILE },
		});
		expect(isolated.ignored.map(({ name }) => name)).toEqual(["isolated"]);
		expect(
			resolve({ definition: { isolated: false }, call: { isolated: true } }).invocation.isolated
				.value,
		).toBe(true);
		expect(
			resolve({ call: { tools: "*", subagents: "*" }, definition: { tools: [] } }).invocation,
		).toMatchObject({ tools: { value: [] }, subagents: { value: [] } });
	});

	test("values that models write in other ways are understood", () => {
		const { invocation } = resolve({
			call: {
				max_turns: "12",
				run_in_background: "true",
				isolation: "Worktree",
				model: { provider: "hub", id: "org/x:fast" },
				thinking: "HIGH",
			},
		});
		expect(invocation).toMatchObject({
			max_turns: { value: 12 },
			run_in_background: { value: true },
			isolation: { value: "worktree" },
			model: { value: ["hub/org/x:fast"] },
			thinking: { value: "high" },
		});
		expect(resolve({ call: { model: ["fake/none", "sonnet"] } }).invocation.model.value).toEqual([
			"fake/none",
			"sonnet",
		]);
	});

	test("what cannot be read is refused with what is possible", () => {
		expect(refusal({ thinking: "ultra" })).toBe(
			'The parameter `thinking` cannot be "ultra": it is one of `off`, `minimal`, `low`, `medium`, `high`, `xhigh` or `max`.',
		);
		expect(refusal({ max_turns: -3, isolation: "docker" })).toBe(
			'The parameter `max_turns` cannot be "-3": it is a whole number, or left out. The parameter `isolation` cannot be "docker": it is `none` or `worktree`.',
		);
		expect(refusal({ isolated: "maybe" })).toContain("`true` or `false`");
		expect(refusal({ cwd: "/a\0b" })).toContain("a directory");
		expect(refusal({ cwd: 7 })).toContain("a directory");
		expect(refusal({ model: { provider: 1 } })).toContain("a list or object");
	});

	test("a disabled agent is refused here, too", () => {
		expect(resolveInvocation({ definition: define({ enabled: false }) })).toEqual({
			ok: false,
			message: 'The agent "a" is disabled.',
		});
	});

	test("whatever a call holds, there is an answer, and nothing is widened", () => {
		const names = [
			"model",
			"thinking",
			"max_turns",
			"run_in_background",
			"inherit_context",
			"isolated",
			"isolation",
			"cwd",
			"tools",
			"__proto__",
		];
		const settings: FieldValues = { isolated: true };
		fc.assert(
			fc.property(fc.dictionary(fc.constantFrom(...names), fc.anything()), (call) => {
				const definition = define({ tools: ["read"], isolated: true, locked: ["model"] });
				const result = resolveInvocation({ definition, call, settings });
				if (!result.ok) return;
				expect(result.invocation.tools.value).toEqual(["read"]);
				expect(result.invocation.isolated.value).toBe(true);
				expect(result.invocation.model.value).toEqual(["inherit"]);
			}),
			{ numRuns: 500 },
		);
	});
});

describe("clampThinking", () => {
	test.each([
		["max", ["off", "low", "high"], "high"],
		["medium", ["off", "low", "high"], "low"],
		["minimal", ["low", "medium"], "low"],
		["high", ["off"], "off"],
		["low", [], "off"],
		["xhigh", ["max", "off", "xhigh"], "xhigh"],
	] as const)("%s of %j is %s", (level, supported, expected) => {
		expect(clampThinking(level, supported)).toBe(expected);
	});

	test("gives a level that there is, and a stronger one only if there is no other", () => {
		const level = fc.constantFrom(...THINKING_LEVELS);
		fc.assert(
			fc.property(level, fc.uniqueArray(level, { minLength: 1 }), (wanted, supported) => {
				const clamped = clampThinking(wanted, supported);
				expect(supported).toContain(clamped);
				const weaker = supported.some(
					(other) => THINKING_LEVELS.indexOf(other) <= THINKING_LEVELS.indexOf(wanted),
				);
				expect(weaker && THINKING_LEVELS.indexOf(clamped) > THINKING_LEVELS.indexOf(wanted)).toBe(
					false,
				);
			}),
		);
	});
});
