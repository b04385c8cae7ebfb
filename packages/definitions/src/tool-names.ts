/** The tools that the hosts bring along; 0.73.1 has no `powershell`. */
export const HOST_TOOLS: readonly string[] = Object.freeze([
	"read",
	"bash",
	"edit",
	"write",
	"grep",
	"find",
	"ls",
	"powershell",
]);

/** One entry of a `tools` or `disallowed_tools` list. */
export type ToolEntry =
	/** A tool, or a pattern with `*`. */
	| { readonly kind: "tool"; readonly name: string }
	/** A tool with a limit on its arguments, such as `Bash(git diff:*)`, which no host can enforce. */
	| { readonly kind: "limited"; readonly name: string }
	/** The right to start agents, which is no tool here. */
	| { readonly kind: "delegate"; readonly agents: readonly string[] }
	| { readonly kind: "unreadable" };

const SAME_TOOL: ReadonlyMap<string, string> = new Map([
	...HOST_TOOLS.map((name): [string, string] => [name, name]),
	["multiedit", "edit"],
	["glob", "find"],
	["list", "ls"],
]);
const TOOL_NAME = /^[A-Za-z0-9_*][A-Za-z0-9_.:/*-]{0,127}$/;
const WITH_ARGUMENTS = /^([A-Za-z0-9_-]+)\s*\((.*)\)$/s;
const DELEGATES = /^(?:task|agent|subagent)$/i;
const CONTROLS = /^(?:get_subagent_result|steer_subagent|stop_subagent)$/i;

/** What an entry of a tools list means. Other tools' names for the same thing are translated, `*` patterns are kept. */
export function readToolEntry(entry: string): ToolEntry {
	const limited = WITH_ARGUMENTS.exec(entry);
	const name = limited?.[1] ?? entry;
	if (DELEGATES.test(name)) {
		const agents = splitList(limited?.[2] ?? "").filter((agent) => agent !== "*");
		return { kind: "delegate", agents };
	}
	if (CONTROLS.test(name)) return { kind: "delegate", agents: [] };
	if (limited) return { kind: "limited", name: sameTool(name) };
	if (!TOOL_NAME.test(entry)) return { kind: "unreadable" };
	// `mcp__server` stands for all tools of that server where it comes from.
	if (/^mcp__[^_*]+(?:_[^_*]+)*$/.test(entry)) return { kind: "tool", name: `${entry}__*` };
	return { kind: "tool", name: sameTool(entry) };
}

/** Whether a word can only be meant as a tool, so that a list that is separated by blanks can be told from prose. */
export function isSurelyTool(word: string): boolean {
	return SAME_TOOL.has(word.toLowerCase()) || /^mcp__[A-Za-z0-9_*-]+$/.test(word);
}

/** Our name of a tool, if it is one that the hosts have under another name or in another case. */
export function sameTool(name: string): string {
	return SAME_TOOL.get(name.toLowerCase()) ?? name;
}

/** The entries of a comma-separated list: trimmed, without quotes and empty ones; commas in brackets separate nothing. */
export function splitList(text: string): readonly string[] {
	const entries: string[] = [];
	let depth = 0;
	let start = 0;
	for (let index = 0; index <= text.length; index++) {
		const character = text[index];
		if (character === "(") depth++;
		else if (character === ")") depth = Math.max(0, depth - 1);
		else if (index === text.length || ((character === "," || character === "\n") && depth === 0)) {
			entries.push(text.slice(start, index));
			start = index + 1;
		}
	}
	return entries
		.map((entry) =>
			entry
				.trim()
				.replace(/^(["'`])(.*)\1$/s, "$2")
				.trim(),
		)
		.filter((entry) => entry !== "");
}
