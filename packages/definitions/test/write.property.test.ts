import fc from "fast-check";
import { expect, test, vi } from "vitest";
import {
	type AgentChanges,
	CALL_PARAMETERS,
	checkAgentName,
	editAgentText,
	type FieldValues,
	formatAgentFile,
	HOST_TOOLS,
	readAgentFile,
	toFieldValues,
} from "../src/index.js";

const TRICKY = [
	":",
	"#",
	"'",
	'"',
	"\\",
	"-",
	"@",
	"`",
	"%",
	"!",
	"&",
	"*",
	"|",
	">",
	"{",
	"[",
	",",
	"?",
	"~",
	"\t",
	"🔭",
	"é",
	"\u2028",
	"\uFEFF",
	"\u0085",
	" ",
	" ",
	"a",
	"b",
	"true",
	"null",
	"- ",
	": ",
	" #",
	"---",
	"\\n",
];
const characters = fc.constantFrom(...TRICKY);
const line = fc
	.string({ unit: characters, minLength: 1, maxLength: 12 })
	.map((text) => text.trim())
	.filter((text) => text !== "");
const text = fc
	.oneof(
		line,
		fc.constantFrom(
			"true",
			"null",
			"~",
			"12",
			"0x1F",
			"2025-01-01",
			"yes",
			"no",
			".5",
			"a: b",
			"- x",
			"# x",
			"|",
			">-",
			"'it''s'",
		),
		fc
			.array(fc.oneof(line, fc.constant("")), { minLength: 2, maxLength: 4 })
			.map((lines) => lines.join("\n").trim())
			.filter((joined) => joined !== ""),
	)
	.filter((value) => !/[\0]/.test(value));
const name = line.filter((value) => checkAgentName(value) === undefined);
const list = <T extends string>(...names: readonly T[]): fc.Arbitrary<T[]> =>
	fc.uniqueArray(fc.constantFrom(...names), { maxLength: 4 });
const valuesWithout = fc.record(
	{
		display_name: line
			.map((value) => value.replace(/\s+/g, " "))
			.filter((value) => value.trim() === value),
		color: fc.constantFrom("cyan", "#ff8800", "#fff"),
		tools: fc.oneof(list(...HOST_TOOLS, "mcp__a__*", "mcp__a__b"), fc.constant(["*"])),
		disallowed_tools: list(...HOST_TOOLS),
		extensions: fc.oneof(list("one", "@scope/two", "npm:three"), fc.constant(["*"])),
		skills: list("first", "second-one"),
		model: fc.uniqueArray(
			fc.constantFrom("sonnet", "fake/small", "hub/org/model-x:fast", "inherit"),
			{ minLength: 1 },
		),
		thinking: fc.constantFrom("off", "low", "max"),
		max_turns: fc.nat(),
		max_cost: fc.constantFrom(0, 0.5, 12.25),
		prompt_mode: fc.constantFrom("append", "replace"),
		inherit_context: fc.boolean(),
		isolated: fc.boolean(),
		isolation: fc.constantFrom("none", "worktree"),
		subagents: fc.oneof(fc.constant(["*"]), list("reviewer", "code reviewer")),
		enabled: fc.boolean(),
		hidden: fc.boolean(),
		locked: list(...CALL_PARAMETERS),
	},
	{ requiredKeys: [] },
);
const fields: fc.Arbitrary<FieldValues> = fc
	.tuple(name, text, valuesWithout)
	.map(([name, description, others]) => ({ name, description, ...others }) as FieldValues);
const prompt = fc
	.array(fc.oneof(line, fc.constantFrom("", "# Title", "----", "  indented", "- item")), {
		maxLength: 5,
	})
	.map((lines) =>
		lines
			.join("\n")
			.replace(/^\s*\n/, "")
			.trim(),
	);

const read = (content: string) => readAgentFile({ file: "some.md", content: Buffer.from(content) });
const readFields = (content: string): FieldValues | string => {
	const result = read(content);
	return "definition" in result ? toFieldValues(result.definition) : JSON.stringify(result);
};

// A machine that is busy with other tests must not fail these.
vi.setConfig({ testTimeout: 60_000 });

test("what is written is read back", () => {
	fc.assert(
		fc.property(fields, prompt, (values, instructions) => {
			const written = formatAgentFile(values, instructions);
			const result = read(written);
			expect(readFields(written)).toEqual(values);
			expect(result).toMatchObject({ outcome: "load", definition: { prompt: instructions } });
		}),
		{ numRuns: 500 },
	);
});

// Files as people write them: any order, comments, unknown fields, quotes, block lists, line ends.
const HEADER_LINES = [
	"# kept by the platform group",
	"",
	"icon: '🧭' # for the list",
	"owner:\n  team: platform # who",
	"display_name:   Some One   # shown",
	"tools: # what it needs\n  # reading\n  - read # always\n  - grep",
	"disallowed_tools: [write, bash] # never",
	'maxTurns: "12"',
	"model: fake/small",
	"thinking: high\t# much",
	"skills:\n- first\n- second",
];
const file = fc
	.tuple(
		fc.shuffledSubarray(HEADER_LINES),
		fc.constantFrom(
			"description: Some text # note",
			"description: |\n  one: two\n  # three",
			"description: >-\n  one\n  two",
			"description: 'it''s'",
			"description: one: two",
		),
		fc.constantFrom(
			"",
			"enabled: true # on",
			"enabled: no",
			"disabled: false # off",
			"Enabled: true",
			"# end",
		),
		fc.constantFrom("\n", "\r\n"),
		fc.boolean(),
		fc.constantFrom("", "Body.\n", "\nBody.\n\n---\nMore.", "   "),
	)
	.map(([lines, description, enabled, eol, mark, body]) => {
		const header = ["name: some", ...lines.slice(0, 4), description, enabled, ...lines.slice(4)]
			.filter((part) => part !== "")
			.join("\n");
		return `${mark ? "\uFEFF" : ""}---\n${header}\n---\n${body}`.replaceAll("\n", eol);
	});
const change: fc.Arbitrary<AgentChanges> = fc.oneof(
	fc.boolean().map((enabled) => ({ enabled })),
	text.map((description) => ({ description })),
	fc.record({
		tools: fc.constantFrom<readonly string[]>(
			["read"],
			["read", "grep", "ls"],
			[],
			["*"],
			["bash", "read"],
			["grep", "read"],
		),
	}),
	fc.record({
		model: fc.constantFrom<readonly string[] | null>(["sonnet"], ["fake/small", "inherit"], null),
	}),
	fc.record({
		max_turns: fc.constantFrom(3, 0, null),
		thinking: fc.constantFrom("low" as const, null),
	}),
	fc.record({ display_name: fc.constantFrom("Other", "a: b", null) }),
);

test("an edit says what was asked for and leaves everything else as it was", () => {
	fc.assert(
		fc.property(file, change, (before, changes) => {
			const result = editAgentText("some.md", before, changes);
			if (!result.ok) throw new Error(result.message);
			const old = readFields(before);
			const { enabled, ...others } = changes;
			const wanted: Record<string, unknown> = { ...(typeof old === "string" ? {} : old) };
			for (const [key, value] of Object.entries(others)) {
				if (value === null) delete wanted[key];
				else wanted[key] = value;
			}
			if (enabled !== undefined && (wanted.enabled !== undefined || !enabled))
				wanted.enabled = enabled;
			expect(readFields(result.text)).toEqual(wanted);
			expect(result.text.startsWith("\uFEFF")).toBe(before.startsWith("\uFEFF"));
			expect(/(?<!\r)\n/.test(result.text)).toBe(/(?<!\r)\n/.test(before));
			const comments = [...before.matchAll(/#[^\r\n"]*|icon: .*|owner:|team: .*/g)].map(
				([comment]) => comment.trimEnd(),
			);
			const replaced =
				"description" in changes ? ["# note", "# three"] : "tools" in changes ? ["# always"] : [];
			const gone = Object.values(changes).includes(null);
			for (const comment of comments) {
				if (!gone && !replaced.includes(comment)) expect(result.text).toContain(comment);
			}
			// Only lines of the edited fields differ.
			const keys = Object.keys(changes)
				.map((key) => key.replaceAll("_", ""))
				.join("|");
			const mine = new RegExp(`^(?:${keys}|disabled)`, "i");
			for (const kept of before
				.split(/\r?\n/)
				.filter((part) => /^\w+:/.test(part) && !mine.test(part.replaceAll("_", "")))) {
				expect(result.text).toContain(kept);
			}
		}),
		{ numRuns: 500 },
	);
});

test("disabling and enabling again gives the file back, but for the field itself", () => {
	fc.assert(
		fc.property(file, (before) => {
			const off = editAgentText("some.md", before, { enabled: false });
			const on = off.ok ? editAgentText("some.md", off.text, { enabled: true }) : off;
			if (!off.ok || !on.ok) throw new Error("refused");
			expect(readFields(off.text)).toMatchObject({ enabled: false });
			expect(readFields(on.text)).toMatchObject({ enabled: true });
			const without = (text: string): string =>
				text.replace(/^(?:enabled|disabled): *\S+/gim, "").replace(/^[ \t]*\r?\n/gm, "");
			expect(without(on.text)).toBe(without(before));
		}),
		{ numRuns: 500 },
	);
});

test("an edit of any text gives a file that loads, or nothing", () => {
	const noise = fc.string({
		unit: fc.constantFrom(
			..."[]{}:-*|>'\"#\n ab".split(""),
			"tools: ",
			"enabled: ",
			"<example>",
			"\n",
			"\r\n",
		),
		maxLength: 60,
	});
	fc.assert(
		fc.property(noise, fc.boolean(), (lines, enabled) => {
			const before = `---\nname: a\n${lines}\n---\nbody`;
			const result = editAgentText("some.md", before, { enabled });
			if (!result.ok) return;
			const after = read(result.text);
			expect(after).toHaveProperty("definition");
			expect("definition" in after && (after.definition.enabled ?? true)).toBe(enabled);
		}),
		{ numRuns: 500 },
	);
});

test("simple fields, which are read without the YAML library, are read as it reads them", () => {
	const unit = fc.constantFrom(..."ab 0é/_.,-'()");
	fc.assert(
		fc.property(fc.string({ unit, maxLength: 12 }), (rest) => {
			const value = `a${rest}`;
			const plain = readFields(`---\nname: some\ndescription: ${value}\n---\n`);
			// A comment makes the line one that only the library reads.
			const parsed = readFields(`---\nname: some\ndescription: ${value} # comment\n---\n`);
			expect(plain).toEqual(parsed);
		}),
		{ numRuns: 1000 },
	);
});
