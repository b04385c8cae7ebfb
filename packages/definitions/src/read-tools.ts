import { type Finding, listNames, quote, quoteAll, type Severity } from "./diagnostic.js";
import { isProbablyTypo } from "./nearest-names.js";
import { HOST_TOOLS, isSurelyTool, readToolEntry } from "./tool-names.js";
import { isEmpty, readKeyword, readList } from "./value-readers.js";
import type { FieldValue } from "./yaml-value.js";

/** What a `tools` or `disallowed_tools` field says. */
export interface ReadTools {
	/** Absent if the list cannot be read at all; then there is an error among the findings. */
	readonly tools?: readonly string[];
	/** Present if the list names the right to start agents: which ones, or an empty list for just any. */
	readonly agents?: readonly string[];
	readonly findings: readonly Omit<Finding, "field" | "line">[];
}

/**
 * Reads a list of tools. An allowlist grants only entries that it can grant exactly as they are written; a denylist denies
 * everything that an entry may mean. Both name every entry that they read differently than written.
 */
export function readTools(value: FieldValue, use: "allow" | "deny"): ReadTools {
	const field = use === "allow" ? "tools" : "disallowed_tools";
	const findings: Omit<Finding, "field" | "line">[] = [];
	const report = (severity: Severity, what: string, why: string, fix: string): void => {
		findings.push({ severity, what, why, fix });
	};
	const entries = isEmpty(value) ? [] : readList(value)?.flatMap(splitWords);
	if (!entries) {
		report(
			"error",
			`\`${field}\` is no text and no list`,
			"it bounds what the agent may do, so the file is not used",
			`Write names, separated by commas: \`${field}: read, grep\``,
		);
		return { findings };
	}
	if (isEmpty(value)) {
		report(
			"warning",
			`\`${field}\` has no value`,
			use === "allow" ? "it is read as `none`, so the agent has no tools" : "it denies nothing",
			use === "allow"
				? "Write `none` for no tools, or leave the field out for all"
				: "Name the tools, or leave the field out",
		);
	}
	// `true` says "yes" to everything elsewhere, but it names no tool, so it can deny all and grant none.
	const isTrue = entries.length === 1 && entries[0]?.toLowerCase() === "true";
	const keyword = isTrue && use === "allow" ? undefined : readKeyword(entries);
	if (keyword !== undefined) return { tools: keyword === "all" ? ["*"] : [], findings };
	return use === "allow"
		? readAllowlist(entries, findings, report)
		: readDenylist(entries, findings, report);
}

type ReportTools = (severity: Severity, what: string, why: string, fix: string) => void;

function readAllowlist(
	entries: readonly string[],
	findings: ReadTools["findings"],
	report: ReportTools,
): ReadTools {
	if (entries.some((entry) => entry.toLowerCase() === "none")) {
		report(
			"warning",
			"`tools` says `none` and names tools",
			"it is read as `none`",
			"Leave out `none`, or the tools",
		);
		return { tools: [], findings };
	}
	const tools: string[] = [];
	const refused: string[] = [];
	const agents: string[] = [];
	let delegates = false;
	for (const entry of entries) {
		const read = readToolEntry(entry);
		if (read.kind === "delegate") {
			delegates = true;
			agents.push(...read.agents);
			if (read.agents.length === 0) refused.push(entry);
		} else if (read.kind === "tool" && !/^(?:all|true)$/i.test(entry)) {
			tools.push(read.name);
		} else {
			refused.push(entry);
		}
	}
	if (refused.length > 0) {
		report(
			"warning",
			`\`tools\` names ${quoteAll(refused)}`,
			"that cannot be granted as it is written and is left out",
			adviceOn(refused),
		);
	}
	reportUnknown([...new Set(tools)], report);
	return { tools: [...new Set(tools)], findings, ...(delegates && { agents }) };
}

function adviceOn(refused: readonly string[]): string {
	const advice = new Set(
		refused.map((entry) => {
			const { kind } = readToolEntry(entry);
			if (kind === "limited")
				return "Limits on arguments are not enforced here; name the tool alone to grant it whole";
			if (kind === "delegate") return "To let it start other agents, name them in `subagents`";
			return /^(?:all|true)$/i.test(entry)
				? "Write `all` alone, or name the tools"
				: "Write names of tools, separated by commas";
		}),
	);
	return [...advice].join(". ");
}

function readDenylist(
	entries: readonly string[],
	findings: ReadTools["findings"],
	report: ReportTools,
): ReadTools {
	if (entries.some((entry) => entry === "*" || entry.toLowerCase() === "all")) {
		return { tools: ["*"], findings };
	}
	const denied = new Set<string>();
	const agents: string[] = [];
	let delegates = false;
	for (const entry of entries) {
		const read = readToolEntry(entry);
		if (read.kind === "unreadable") {
			report(
				"error",
				`\`disallowed_tools\` names ${quote(entry)}`,
				"that is no tool's name, so it is not certain what to deny",
				"Write names of tools, separated by commas",
			);
		} else if (read.kind === "delegate") {
			delegates = true;
			agents.push(...read.agents);
		} else {
			denied.add(read.name);
			if (read.kind === "limited") {
				report(
					"warning",
					`\`disallowed_tools\` names ${quote(entry)}`,
					`limits on arguments are not enforced here, so \`${read.name}\` is denied whole`,
					`Write \`${read.name}\``,
				);
				continue;
			}
			// An extension may have a tool of the very name that we translate.
			denied.add(entry);
			const meant = probableTool(entry);
			if (meant !== undefined) {
				denied.add(meant);
				report(
					"warning",
					`\`disallowed_tools\` names ${quote(entry)}`,
					`no built-in tool has this name; \`${meant}\` is denied, too`,
					`Write \`${meant}\` if that is what you mean`,
				);
			}
		}
	}
	return { tools: [...denied], findings, ...(delegates && { agents }) };
}

function reportUnknown(tools: readonly string[], report: ReportTools): void {
	const unknown = tools.filter(
		(tool) => !HOST_TOOLS.includes(tool) && !tool.includes("*") && !tool.startsWith("mcp__"),
	);
	const typos = unknown.filter((tool) => probableTool(tool) !== undefined);
	if (typos.length > 0) {
		const meant = [...new Set(typos.flatMap((tool) => probableTool(tool) ?? []))];
		report(
			"warning",
			`\`tools\` names ${listNames(typos)}`,
			"no built-in tool has this name",
			`Write ${listNames(meant)} if that is what you mean`,
		);
	}
	const others = unknown.filter((tool) => !typos.includes(tool));
	if (others.length > 0) {
		report(
			"info",
			`\`tools\` names ${listNames(others)}`,
			"no built-in tool has this name, so an extension has to bring it along",
			"Check the spelling if you do not know of such an extension",
		);
	}
}

function probableTool(name: string): string | undefined {
	if (HOST_TOOLS.includes(name)) return undefined;
	return HOST_TOOLS.find((tool) => isProbablyTypo(name.toLowerCase(), tool));
}

/** `Read Grep Glob`: blanks separate tools only where every word can be nothing else. */
function splitWords(entry: string): readonly string[] {
	const words = entry.split(/\s+/);
	return words.length > 1 && words.every(isSurelyTool) ? words : [entry];
}
