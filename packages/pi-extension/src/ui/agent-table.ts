import type { Theme } from "@mariozechner/pi-coding-agent";
import { truncateToWidth, visibleWidth } from "@mariozechner/pi-tui";
import { type AgentRecord, totalTokens } from "@pi-subagents/core";
import type { AgentActivity } from "@pi-subagents/observers";
import {
	formatCost,
	formatDuration,
	formatStatus,
	formatTokens,
	oneLine,
	plural,
} from "../format.js";
import { activityText } from "./activity-text.js";
import { statusMark } from "./cards.js";

/** An agent, and what it is doing if it runs. */
export interface TableAgent {
	readonly record: AgentRecord;
	readonly activity: AgentActivity | undefined;
	/** How many agents of the list are above it. */
	readonly depth?: number;
}

/** What general-purpose agents do is said by their description alone. */
const PLAIN_TYPE = "general-purpose";
const GAP = "  ";
/** What the last column needs before another number takes room from it. */
const ACTIVITY_WIDTH = 24;

/**
 * One line for each agent, in columns: mark, description with type, time, tool uses, tokens, cost, and what it does or how
 * it ended; agents that another one started are indented. Where room is short, numbers go first, from the last one on. No
 * line is wider than `width`. The line with the index `chosen` is marked.
 */
export function agentTable(
	agents: readonly TableAgent[],
	theme: Theme,
	width: number,
	now: number,
	chosen = -1,
): string[] {
	const names = agents.map(({ record, depth = 0 }) => nameOf(record, depth));
	const nameWidth = Math.min(
		Math.max(0, ...names.map((name) => visibleWidth(name.indent + name.text + name.type))),
		Math.max(18, Math.floor(width * 0.35)),
	);
	const numbers = agents.map(({ record }) => numbersOf(record, now));
	const columns = fittingColumns(numbers, width - 3 - nameWidth);
	return agents.map(({ record, activity }, index) => {
		const name = names[index] ?? { indent: "", text: "", type: "" };
		const cells = columns.map((column) =>
			(numbers[index]?.[column.index] ?? "").padStart(column.width),
		);
		const doing = activityOf(record, activity);
		const cursor = index === chosen ? theme.fg("accent", "→") : " ";
		const line = [
			`${cursor}${statusMark(record.status, theme)} ${paddedName(name, nameWidth, theme)}`,
			...cells.map((cell) => theme.fg("dim", cell)),
			record.status === "error" ? theme.fg("error", doing) : theme.fg("muted", doing),
		].join(GAP);
		return truncateToWidth(line, width, "…");
	});
}

interface Name {
	readonly indent: string;
	readonly text: string;
	/** With the space before it; empty if there is nothing to say. */
	readonly type: string;
}

/** However deep an agent is, its name has room. */
const MOST_INDENT = 4;

function nameOf(record: AgentRecord, depth: number): Name {
	const indent = depth === 0 ? "" : `${"  ".repeat(Math.min(depth, MOST_INDENT) - 1)}└ `;
	const text = oneLine(record.description, 60);
	if (text === "") return { indent, text: oneLine(record.type, 24), type: "" };
	return { indent, text, type: record.type === PLAIN_TYPE ? "" : ` (${oneLine(record.type, 24)})` };
}

/** Short of room, the type goes before the description. */
function paddedName({ indent, text, type }: Name, width: number, theme: Theme): string {
	const room = width - visibleWidth(indent);
	const fits = visibleWidth(text + type) <= room;
	const shown = fits ? text : truncateToWidth(text, room, "…");
	const rest = " ".repeat(Math.max(0, room - visibleWidth(fits ? text + type : shown)));
	return `${theme.fg("dim", indent)}${theme.bold(shown)}${fits ? theme.fg("dim", type) : ""}${rest}`;
}

/** Time, tool uses, tokens, cost; empty where there is none yet. */
function numbersOf(record: AgentRecord, now: number): readonly string[] {
	const { startedAt, completedAt, toolUses, lifetimeUsage } = record;
	const tokens = totalTokens(lifetimeUsage);
	return [
		startedAt === undefined ? "" : formatDuration((completedAt ?? now) - startedAt),
		toolUses === 0 ? "" : plural(toolUses, "tool"),
		tokens === 0 ? "" : `${formatTokens(tokens)} tokens`,
		formatCost(lifetimeUsage.cost),
	];
}

interface Column {
	readonly index: number;
	readonly width: number;
}

/** The columns that have something in them, as many as leave the activity its room; the time is always there. */
function fittingColumns(numbers: readonly (readonly string[])[], room: number): readonly Column[] {
	const columns: Column[] = [];
	let left = room;
	for (const index of [0, 1, 2, 3]) {
		const width = Math.max(0, ...numbers.map((row) => row[index]?.length ?? 0));
		if (width === 0) continue;
		left -= GAP.length + width;
		if (index > 0 && left < GAP.length + ACTIVITY_WIDTH) break;
		columns.push({ index, width });
	}
	return columns;
}

function activityOf(record: AgentRecord, activity: AgentActivity | undefined): string {
	return record.status === "running" ? activityText(activity) : oneLine(formatStatus(record), 120);
}
