import { describe, expect, test } from "vitest";
import { formatDiagnostic, readAgentFile } from "../src/index.js";

function read(header: string, body = "Body.") {
	return readAgentFile({ file: "agents/some.md", content: `---\n${header}\n---\n${body}` });
}

function definitionOf(header: string) {
	const result = read(header);
	if (!("definition" in result)) throw new Error(messagesOf(header));
	return result.definition;
}

function messagesOf(header: string): string {
	return read(header).diagnostics.map(formatDiagnostic).join("\n");
}

describe("what is an agent", () => {
	test("other files are left out with one quiet line", () => {
		for (const content of [
			"",
			"\n \n",
			"# Notes\n\n---\nname: x\n---\n",
			"../shared/scout.md",
			"---\nA rule, then text.\n---\n",
			"---\n---\n",
			"---\ntitle: A page\ndate: 2025-01-31\n---\nText",
			"---\ntitle: A page\ndescription: About agents\nlayout: docs\n---\nText",
			"---\ndescription: A prompt template\nargument-hint: <file>\n---\nText",
			"----\nname: x\n----\n",
		]) {
			const result = readAgentFile({ file: "README.md", content });
			expect(result.outcome).toBe("not_an_agent");
			expect(result.diagnostics.map(({ severity }) => severity)).toEqual(["info"]);
		}
	});

	test("a header in another encoding is rejected, other bytes are no agent", () => {
		const utf16 = Buffer.from("\uFEFF---\nname: x\n---\n", "utf16le");
		expect(readAgentFile({ file: "x.md", content: utf16 }).outcome).toBe("reject");
		expect(readAgentFile({ file: "x.md", content: Buffer.from([0xff, 0xd8, 0xff]) }).outcome).toBe(
			"not_an_agent",
		);
	});

	test("a header may follow blank lines, and its lines may be indented", () => {
		const content = "\n  \n---\n  name: some\n  tools: read\n  description: d\n---\nBody";
		const result = readAgentFile({ file: "x.md", content });
		expect(result).toMatchObject({
			outcome: "load",
			definition: { name: "some", tools: ["read"] },
		});
	});

	test("a header that a `---` cut in two is rejected if a right fell into the body", () => {
		expect(read("name: x\ndescription: d", "tools: read\nmodel: sonnet\n---\nBody").outcome).toBe(
			"reject",
		);
		expect(read("name: x\ndescription: d\ntools: ls", "tools: read\n---\nBody").outcome).toBe(
			"load",
		);
		expect(read("name: x\ndescription: d", "Use these tools: read\n---\nBody").outcome).toBe(
			"load",
		);
	});

	test("diagnostics name the file, the line, what, why and what to do", () => {
		const result = read("name: some\ndescription: Review: carefully\ntools: read");
		expect(result.diagnostics).toEqual([
			{
				severity: "warning",
				file: "agents/some.md",
				line: 3,
				field: "description",
				what: "`description` is not valid YAML",
				why: "it is read as the text that is written there",
				fix: "Put the text in quotes, or below `|`, indented",
			},
		]);
		expect(messagesOf("name: some\ndescription: Review: carefully")).toBe(
			"agents/some.md:3: warning: `description` is not valid YAML: it is read as the text that is written there. Put the text in quotes, or below `|`, indented.",
		);
	});

	test("control characters of a file do not reach a terminal", () => {
		expect(messagesOf('name: "a\\e[31mb"')).not.toMatch(/\p{Cc}(?<!\n)/u);
	});
});

describe("names", () => {
	test.each([
		["../../x", "/"],
		["/etc/x", "/"],
		["a/b", "/"],
		["a\\b", "\\"],
		["CON", "reserved by Windows"],
		["nul.txt", "reserved by Windows"],
		["ends.", "full stop"],
		[".hidden", "full stop"],
		["-flag", "hyphen"],
		["a".repeat(61), "longer than 60 characters"],
		["<b>", "<"],
	])("%s is refused with the reason", (name, reason) => {
		const header = `name: ${JSON.stringify(name)}\ndescription: d\ntools: read`;
		expect(read(header).outcome).toBe("reject");
		expect(messagesOf(header)).toContain(reason);
	});

	test("a NUL, an overlong name and a line end are refused", () => {
		for (const name of ['"a\\0b"', '"a\\nb"', '"a\\u202Eb"']) {
			expect(read(`name: ${name}\ndescription: d`).outcome).toBe("reject");
		}
		expect(
			readAgentFile({ file: "agents/CON.md", content: "---\ndescription: d\n---\n" }).outcome,
		).toBe("reject");
	});

	test("words that YAML takes for other things stay text", () => {
		for (const name of ["true", "123", "null-agent", "2025-01-31", "1e3", "No"]) {
			expect(definitionOf(`name: ${name}\ndescription: d`).name).toBe(name);
		}
	});
});

describe("tools", () => {
	const toolsOf = (value: string) => definitionOf(`name: x\ndescription: d\ntools: ${value}`).tools;

	test.each([
		["none", []],
		["[]", []],
		["", []],
		["~", []],
		['""', []],
		["none, read", []],
		["all", ["*"]],
		['"*"', ["*"]],
		["*", ["*"]],
		["[*]", ["*"]],
		["\n- *", ["*"]],
		["mcp__a", ["mcp__a__*"]],
		["mcp__a__*, read", ["mcp__a__*", "read"]],
		["Read Grep Glob", ["read", "grep", "find"]],
		["READ, multiedit, LS", ["read", "edit", "ls"]],
		["[\nread,\ngrep\n]", ["read", "grep"]],
		["\n\t- read\n\t- grep", ["read", "grep"]],
		["[read, grep] # comment", ["read", "grep"]],
		["all, read", ["read"]],
		["Bash(git diff:*)", []],
		["Bash(git diff:*, git log:*), read", ["read"]],
		["all except bash", []],
		["-bash", []],
		["Task, read", ["read"]],
		["subagent, read", ["read"]],
		["false", []],
		["true", []],
	])("%j means %j", (value, tools) => {
		expect(toolsOf(value)).toEqual(tools);
	});

	test("an entry that is not granted is named", () => {
		const messages = messagesOf(
			"name: x\ndescription: d\ntools: read, Bash(git diff:*), all except bash, raed, web_search",
		);
		expect(messages).toContain('"Bash(git diff:*)"');
		expect(messages).toContain('"all except bash"');
		expect(messages).toContain("Write `read` if that is what you mean");
		expect(messages).toContain("`web_search`");
	});

	test("a list that is no list is rejected", () => {
		for (const value of [
			"{read: true}",
			"\n  read: true",
			"[[read]]",
			"&a [read]\nlater: *a\nallowed-tools: *a",
			"!!set {read}",
			"[read",
			"read\nand more",
		]) {
			const header = `name: x\ndescription: d\ntools: ${value}`;
			const result = read(header);
			expect([value, "definition" in result ? result.definition.tools : "reject"]).toEqual([
				value,
				value === "[read" ? [] : "reject",
			]);
		}
	});

	test.each([
		"tool: read",
		"toolz: read",
		"  tools: read",
		"? tools\n: read",
		"<<: *base",
		"- tools: read",
		"&x tools: read",
		"tools = read",
		"tools\uFF1Aread",
		"description: |\n  ok\ntools; read",
		"more: |\n  ok\ntools read, grep",
		"more: x\n  Tools: read",
		"more: x\n  tools:read",
		'"to\\u006fls": read',
	])("a misspelt or misplaced tools line is rejected, never lost: %j", (lines) => {
		expect(read(`name: x\ndescription: d\n${lines}`).outcome).toBe("reject");
		expect(read(`name: x\ndescription: d: e\n${lines}`).outcome).toBe("reject");
	});

	test("words of a text are not taken for a lost field", () => {
		for (const text of [
			"tools are read later",
			"enabled by default",
			"file extensions: .ts",
			"other: tools",
		]) {
			expect(read(`name: x\ndescription: one: two\n${text}`).outcome).toBe("load_with_warning");
		}
		expect(messagesOf("name: x\ndescription: d\ntoolz: read")).toContain("`tools`");
	});

	test("denied tools are denied under every name that they may have", () => {
		const denied = (value: string) =>
			definitionOf(`name: x\ndescription: d\ndisallowed_tools: ${value}`).disallowedTools;
		expect(denied("Bash(rm:*)")).toEqual(["bash"]);
		expect(denied("mcp__srv__*, Glob")).toEqual(["mcp__srv__*", "find", "Glob"]);
		expect(denied("bsah")).toEqual(["bsah", "bash"]);
		expect(denied("all")).toEqual(["*"]);
		expect(denied("true")).toEqual(["*"]);
		expect(denied("none")).toEqual([]);
		expect(read("name: x\ndescription: d\ndisallowed_tools: everything but read").outcome).toBe(
			"reject",
		);
	});
});

describe("delegation", () => {
	test("agents in a tools list are read as subagents, and a denial wins", () => {
		expect(
			definitionOf("name: x\ndescription: d\ntools: read, Task(reviewer, scout)").subagents,
		).toEqual(["reviewer", "scout"]);
		expect(definitionOf("name: x\ndescription: d\ntools: Task").subagents).toBeUndefined();
		expect(
			definitionOf("name: x\ndescription: d\nsubagents: '*'\ndisallowed_tools: Task").subagents,
		).toEqual([]);
	});

	test("subagents are only granted by a header that is valid", () => {
		expect(definitionOf("name: x\ndescription: d\nsubagents: all").subagents).toEqual(["*"]);
		expect(definitionOf("name: x\ndescription: d: e\nsubagents: all").subagents).toEqual([]);
		expect(definitionOf("name: x\ndescription: d\nsubagents: a/b, reviewer").subagents).toEqual([
			"reviewer",
		]);
	});
});

describe("other fields", () => {
	test("a full file in the spelling of another tool", () => {
		const header = [
			"name: full",
			"description: d",
			"displayName: Full One",
			"color: cyan",
			"allowedTools: Read, Grep",
			"disallowed-tools: Bash",
			"extensions: none",
			"excludeExtensions: noisy",
			"skills: [a, b]",
			"model: [fake/small, sonnet]",
			"effort: high",
			"maxTurns: 12",
			"max_seconds: 90.5",
			"max-tokens: 100000",
			"max_cost: 0.5",
			"promptMode: replace",
			"inherit_context: yes",
			"isolated: true",
			"isolation: worktree",
			"background: true",
			"hidden: true",
			"locked: [model, maxTurns, cwd]",
		].join("\n");
		expect(read(header).outcome).toBe("load");
		expect(definitionOf(header)).toEqual({
			name: "full",
			description: "d",
			displayName: "Full One",
			color: "cyan",
			prompt: "Body.",
			promptMode: "replace",
			tools: ["read", "grep"],
			disallowedTools: ["bash", "Bash"],
			extensions: [],
			excludeExtensions: ["noisy"],
			skills: ["a", "b"],
			model: ["fake/small", "sonnet"],
			thinking: "high",
			limits: { maxTurns: 12, maxSeconds: 90.5, maxTokens: 100000, maxCost: 0.5 },
			inheritContext: true,
			isolated: true,
			isolation: "worktree",
			runInBackground: true,
			hidden: true,
			locked: ["model", "max_turns", "cwd"],
			source: { kind: "user", file: "agents/some.md" },
		});
	});

	test.each([
		["thinking: false", { thinking: "off" }],
		["thinking: off", { thinking: "off" }],
		["thinking: none", { thinking: "off" }],
		["thinking: High", { thinking: "high" }],
		["max_turns: '12'", { limits: { maxTurns: 12 } }],
		["max_turns: 0", { limits: { maxTurns: 0 } }],
		["max_turns: unlimited", { limits: { maxTurns: 0 } }],
		["model: inherit", { model: ["inherit"] }],
		["model: fake/small, sonnet", { model: ["fake/small", "sonnet"] }],
		["disabled: true", { enabled: false }],
		["enabled: no", { enabled: false }],
		[
			"locked: true",
			{
				locked: [
					"model",
					"thinking",
					"max_turns",
					"run_in_background",
					"inherit_context",
					"isolated",
					"isolation",
					"cwd",
				],
			},
		],
		["isolation: off", { isolation: "none" }],
		["extensions: true", { extensions: ["*"] }],
	])("%s", (line, expected) => {
		expect(read(`name: x\ndescription: d\n${line}`).outcome).toBe("load");
		expect(definitionOf(`name: x\ndescription: d\n${line}`)).toMatchObject(expected);
	});

	test.each([
		"thinking: 7",
		"thinking: hihg",
		"max_turns: -1",
		"max_turns: abc",
		"max_turns: 1.5",
		"max_cost: $2",
		"inherit_context: maybe",
		"prompt_mode: both",
		"hidden: [a]",
		"color: '#12'",
		"skills: ../x",
	])("%s is left out with a warning (PARSE-14)", (line) => {
		const header = `name: x\ndescription: d\n${line}`;
		expect(read(header).outcome).toBe("load_with_warning");
		expect(messagesOf(header)).toContain(line.split(":")[0]);
		const { skills = [], ...definition } = definitionOf(header);
		expect(skills).toEqual([]);
		expect(definition).toEqual({
			name: "x",
			description: "d",
			prompt: "Body.",
			source: { kind: "user", file: "agents/some.md" },
		});
	});

	test.each([
		"enabled: maybe",
		"enabled:",
		"isolated: perhaps",
		"isolation: container",
		"extensions: {a: b}",
		"locked: modle",
		"exclude_extensions: [[a]]",
		"enabled: true\nenabled: false",
		"disable: x",
		"name: x\ntools: read\nallowed-tools: bash",
	])("%s is rejected, because it bounds what the agent may do", (line) => {
		expect(read(`description: d\n${line}`).outcome).toBe("reject");
	});

	test("a field of another tool that restricts is rejected without tools, and told with them", () => {
		for (const line of [
			"permissionMode: plan",
			"permission:\n  edit: deny",
			"sandbox: read-only",
		]) {
			expect(read(`name: x\ndescription: d\n${line}`).outcome).toBe("reject");
			expect(read(`name: x\ndescription: d\ntools: read\n${line}`).outcome).toBe(
				"load_with_warning",
			);
		}
		expect(read("name: x\ndescription: d\npermissionMode: acceptEdits").outcome).toBe(
			"load_with_warning",
		);
	});

	test("fields without effect are told in one message, with what to write instead", () => {
		const result = read(
			"name: x\ndescription: d\ntools: read\nhooks:\n  a: b\nmcpServers: [a]\ntimeout: 60\ndecsription: e",
		);
		expect(result.diagnostics.map(({ what, fix }) => [what, fix])).toEqual([
			[
				"The fields `hooks`, `mcpServers`, `timeout` and `decsription` have no effect",
				"`hooks`: put the check into a pi extension, which watches children too; `mcpServers`: set the servers up for pi itself and name their tools in `tools`; `timeout`: write `max_seconds`; `decsription`: did you mean `description`?",
			],
		]);
	});

	test("texts are joined as YAML says, and line ends are uniform", () => {
		expect(definitionOf('name: x\ndescription: "one\\r\\ntwo"').description).toBe("one\ntwo");
		expect(definitionOf("name: x\ndescription: one\n  two\n\n  three").description).toBe(
			"one two\nthree",
		);
		expect(
			definitionOf("name: x\ndescription: |\n  # no comment\n  tools: read\ntools: ls").description,
		).toBe("# no comment\ntools: read");
	});

	test("a text whose lines are not indented is read whole", () => {
		for (const start of ["description: >", "description: |-", "description:"]) {
			for (const text of [
				"This agent does: things\nand more",
				"First line\nThis agent does: things",
			]) {
				const definition = definitionOf(`name: x\n${start}\n${text}\ntools: read`);
				expect(definition).toMatchObject({ description: text, tools: ["read"] });
			}
		}
	});

	test("a long unquoted description with line ends written as \\n is read whole", () => {
		const description = 'Use it when asked. Examples:\\n<example>\\nuser: "hi"\\n</example>';
		const definition = definitionOf(`name: x\ndescription: ${description}\ntools: Read`);
		expect(definition.tools).toEqual(["read"]);
		expect(definition.description).toBe(
			'Use it when asked. Examples:\n<example>\nuser: "hi"\n</example>',
		);
	});

	test("lines of an example are never fields", () => {
		const lines =
			"description: Use it: so\n<example>\ntools: bash\nmodel: opus\nenabled: false\n</example>";
		const definition = definitionOf(`name: x\n${lines}\ntools: Read\nmodel: sonnet\nenabled: true`);
		expect(definition).toMatchObject({ tools: ["read"], model: ["sonnet"], enabled: true });
		expect(read(`name: x\n${lines}`).outcome).toBe("reject");
	});
});
