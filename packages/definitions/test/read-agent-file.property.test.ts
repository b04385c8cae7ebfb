import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { DefinitionRegistry, HOST_TOOLS, readAgentFile, resolveTools } from "../src/index.js";

const OUTCOMES = ["load", "load_with_warning", "reject", "not_an_agent"];

function read(content: string | Uint8Array) {
	return readAgentFile({ file: "agents/some.md", content });
}

const tools = fc.constantFrom(
	...HOST_TOOLS,
	"Read",
	"Glob",
	"MultiEdit",
	"mcp__a__b",
	"raed",
	"Bash(x:*)",
);
const toolsLine = fc
	.tuple(
		fc.constantFrom("tools", "Tools", "allowed-tools", "allowedTools", '"tools"', "'tools'"),
		fc.constantFrom(": ", ":", " : ", ":\t", ":  "),
		fc.oneof(
			fc.array(tools, { maxLength: 4 }).map((list) => list.join(", ")),
			fc.array(tools, { maxLength: 4 }).map((list) => `[${list.join(", ")}]`),
			fc.constantFrom(
				"none",
				"[]",
				"",
				"[read",
				"read]",
				'"read',
				"read: bash",
				"{read: true}",
				"*x",
				"&a read",
				"| read",
			),
		),
	)
	.map((parts) => parts.join(""));
// Nothing below which an indented line would be anything but broken.
const otherLine = fc.constantFrom(
	"name: some",
	"description: one: two",
	"description: plain text",
	'description: "open quote',
	"description: 'closed'",
	"model: sonnet",
	"icon: x",
	"color: red",
	"version: 1.0",
	"Context: some words",
	'user: "Hello"',
	"<example>",
	"</example>",
	"some words",
	"---foo",
	"# comment",
	"",
	"  indented words",
	"\ttab",
	"}",
	"* item",
	"@mention",
);
const header = (line: fc.Arbitrary<string>): fc.Arbitrary<string> =>
	fc
		.tuple(fc.array(otherLine, { maxLength: 6 }), line, fc.array(otherLine, { maxLength: 6 }))
		.map(([before, middle, after]) => [...before, middle, ...after].join("\n"));

// A machine that is busy with other tests must not fail these.
vi.setConfig({ testTimeout: 60_000 });

describe("any file at all", () => {
	test("bytes end in one of the four ways", () => {
		fc.assert(
			fc.property(fc.uint8Array({ maxLength: 2000 }), fc.boolean(), (bytes, prefixed) => {
				const content = prefixed ? Buffer.concat([Buffer.from("---\nname: a\n"), bytes]) : bytes;
				expect(OUTCOMES).toContain(read(content).outcome);
			}),
		);
	});

	test("text in a header ends in one of the four ways", () => {
		const text = fc.string({
			unit: fc.constantFrom(..."[]{}:,-?&*!|>'\"%@`#\n ab\t\r\\()<=.🚀\0".split(/(?:)/u)),
			maxLength: 400,
		});
		fc.assert(
			fc.property(text, (noise) => {
				for (const field of ["", "name: a\n", "name: a\ndescription: ", "name: a\ntools: "]) {
					expect(OUTCOMES).toContain(read(`---\n${field}${noise}\n---\nbody`).outcome);
				}
			}),
			{ numRuns: 500 },
		);
	});

	test("a megabyte of anything ends in one of the four ways", () => {
		const units = [
			"[",
			"- ",
			"? ",
			"a:\n",
			"tools: a\n",
			"- tools: *a\n",
			"&a ",
			"'",
			'"',
			"|\n",
			"a: {b: ",
			"\r",
			"\\n",
			"---\n",
			"<example>\n",
			"a,(",
			" ",
			"🚀",
		];
		for (const unit of units) {
			for (const start of ["", "---\n", "---\nname: a\ntools: ", "---\nname: a\ndescription: "]) {
				for (const length of [30_000, 1_000_000]) {
					const text = start + unit.repeat(length / unit.length);
					expect(OUTCOMES).toContain(read(text).outcome);
					expect(OUTCOMES).toContain(read(`${text}\n---\nbody`).outcome);
				}
			}
		}
	});

	test("aliases do not multiply", () => {
		const levels = Array.from(
			{ length: 30 },
			(_, index) => `a${index + 1}: &a${index + 1} [*a${index}, *a${index}]`,
		);
		const text = `---\na0: &a0 [x, x]\n${levels.join("\n")}\nname: bomb\ndescription: d\ntools: *a30\n---\nB`;
		expect(read(text).outcome).toBe("reject");
		expect(read(text.replace("*a30", "read")).outcome).toBe("load_with_warning");
	});

	test("a settings file may hold any JSON", () => {
		fc.assert(
			fc.property(
				fc.dictionary(
					fc.constantFrom("tools", "enabled", "model", "isolated", "x", "__proto__"),
					fc.jsonValue(),
				),
				(override) => {
					const registry = new DefinitionRegistry({
						overrides: [{ file: "subagents.json", agents: { explore: override } }],
					});
					const found = registry.find("Explore");
					const granted = found.found ? resolveTools(found.definition, HOST_TOOLS).granted : [];
					const named = JSON.stringify(
						override.tools ?? ["read", "grep", "find", "ls"],
					).toLowerCase();
					const all = /^"?(?:\*|all)"?$|^\["(?:\*|all)"\]$/.test(named);
					for (const tool of granted) expect(all || named.includes(tool)).toBe(true);
				},
			),
			{ numRuns: 300 },
		);
	});
});

describe("rights", () => {
	test("a tools line is never lost, so it never gives all tools", () => {
		fc.assert(
			fc.property(header(toolsLine), (lines) => {
				const result = read(`---\n${lines}\n---\nbody`);
				if ("definition" in result) expect(result.definition.tools).toBeDefined();
			}),
			{ numRuns: 1000 },
		);
	});

	test("a tools line that is indented by mistake is never lost either", () => {
		const indented = fc.tuple(
			fc.constantFrom(" ", "  ", "\t", " \t", "- ", "? ", "&a ", "!!str "),
			toolsLine,
		);
		fc.assert(
			fc.property(header(indented.map((parts) => parts.join(""))), (lines) => {
				const result = read(`---\nversion: 1\n${lines}\n---\nbody`);
				if ("definition" in result) expect(result.definition.tools).toBeDefined();
			}),
			{ numRuns: 1000 },
		);
	});

	test("nothing is granted that the text does not name", () => {
		const same: Readonly<Record<string, readonly string[]>> = {
			find: ["glob"],
			ls: ["list"],
			edit: ["multiedit"],
		};
		fc.assert(
			fc.property(header(toolsLine), fc.array(toolsLine, { maxLength: 1 }), (lines, more) => {
				const text = `---\n${[lines, ...more].join("\n")}\n---\nbody`;
				const result = read(text);
				if (!("definition" in result)) return;
				for (const tool of resolveTools(result.definition, HOST_TOOLS).granted) {
					const names = [tool, ...(same[tool] ?? [])];
					expect(names.some((name) => text.toLowerCase().includes(name))).toBe(true);
				}
			}),
			{ numRuns: 1000 },
		);
	});

	test("a limit on arguments never becomes the whole tool", () => {
		fc.assert(
			fc.property(
				header(
					fc.constantFrom(
						"tools: Bash(git diff:*)",
						"tools: read, Bash(git diff:*)",
						"tools: [Bash(git diff:*)]",
						"tools: Bash(git diff:*) read",
						"tools: Bash (git), read",
					),
				),
				(lines) => {
					const result = read(`---\n${lines}\n---\nbody`);
					if (!("definition" in result)) return;
					expect(resolveTools(result.definition, HOST_TOOLS).granted).not.toContain("bash");
				},
			),
			{ numRuns: 500 },
		);
	});

	test("what is denied is never granted", () => {
		const deny = fc.array(fc.constantFrom(...HOST_TOOLS), { minLength: 1, maxLength: 4 });
		fc.assert(
			fc.property(header(toolsLine), deny, (lines, denied) => {
				const result = read(`---\n${lines}\ndisallowed_tools: ${denied.join(", ")}\n---\nbody`);
				if (!("definition" in result)) return;
				const { granted } = resolveTools(result.definition, HOST_TOOLS);
				expect(granted.filter((tool) => denied.includes(tool))).toEqual([]);
			}),
			{ numRuns: 1000 },
		);
	});

	test("`enabled: false` is never lost", () => {
		fc.assert(
			fc.property(
				header(
					fc.constantFrom(
						"enabled: false",
						"enabled: no",
						"Enabled: false",
						"disabled: true",
						"enabled: 'false'",
						"enabled: false # why",
					),
				),
				(lines) => {
					const result = read(`---\n${lines}\n---\nbody`);
					if ("definition" in result) expect(result.definition.enabled).toBe(false);
				},
			),
			{ numRuns: 1000 },
		);
	});
});
