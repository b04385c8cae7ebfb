import type { Usage } from "@pi-subagents/core";
import { totalTokens } from "@pi-subagents/core";
import type { CostReport } from "../cost.js";
import { formatCost, formatTokens, oneLine } from "../format.js";

/** What all agents have used, by type, by model and one by one, as a text in columns. */
export function costTable({ total, agents, byType, byModel }: CostReport): string {
	if (agents.length === 0) return "There are no agents yet.";
	const below = agents.map(({ record, model, own, subtree }): Line => {
		const name = `${record.id} ${oneLine(record.description, 32) || record.type}`;
		const whole = totalTokens(subtree) > totalTokens(own);
		return [name, own, whole ? `with those below it ${amount(subtree)}` : model];
	});
	return [
		`All agents: ${amount(total)}`,
		...section(
			"By type",
			[...byType].map(([name, usage]): Line => [name, usage, ""]),
		),
		...section(
			"By model",
			[...byModel].map(([name, usage]): Line => [name, usage, ""]),
		),
		...section("By agent", below),
	].join("\n");
}

type Line = readonly [name: string, usage: Readonly<Usage>, rest: string];

function section(title: string, lines: readonly Line[]): readonly string[] {
	const width = Math.max(...lines.map(([name]) => name.length));
	return [
		"",
		title,
		...lines.map(([name, usage, rest]) => {
			const tokens = formatTokens(totalTokens(usage)).padStart(8);
			const cost = formatCost(usage.cost).padStart(9);
			return `  ${name.padEnd(width)}${tokens}${cost}  ${rest}`.trimEnd();
		}),
	];
}

function amount(usage: Readonly<Usage>): string {
	return [`${formatTokens(totalTokens(usage))} tokens`, formatCost(usage.cost)]
		.filter(Boolean)
		.join(", ");
}
