import type { Delegation, DemoAgent } from "./demo-agent.js";
import { plural } from "./lines.js";
import { STEERING } from "./tasks.js";

/** What is not as the demonstration promises, one sentence each; empty if all is well. */
export function checkDelegation(delegation: Delegation): readonly string[] {
	const { agents, atOnce, problems } = delegation;
	// What else is missing then follows from it.
	if (agents.length === 0 && problems.length > 0) return problems;
	const background = agents.filter((agent) => agent.background);
	const steered = agents.filter(({ messages }) => messages.some((each) => each.includes(STEERING)));
	return [
		...problems,
		...agents.flatMap(checkAgent),
		...(agents.length === 3
			? []
			: [`The parent started ${plural(agents.length, "agent")} instead of 3.`]),
		...(background.length === 2
			? []
			: [`${plural(background.length, "agent")} ran in the background instead of 2.`]),
		...(atOnce >= 2 ? [] : ["No two agents ran at the same time."]),
		...(steered.length === 1
			? []
			: [`${plural(steered.length, "agent")} read the steering message instead of 1.`]),
	];
}

function checkAgent({ description, end, told, background }: DemoAgent): readonly string[] {
	const name = `The agent "${description}"`;
	if (end === undefined) return [`${name} has not ended.`];
	if (end.status !== "completed") return [`${name} ended as ${end.status}: ${end.text}`];
	const numbers = { "tool uses": end.toolUses, tokens: end.tokens, cost: end.cost };
	const missing = Object.entries(numbers).filter(([, value]) => value <= 0);
	return [
		...missing.map(([what]) => `${name} has no ${what}.`),
		...(end.text === "" ? [`${name} has no report.`] : []),
		...(told === 0 ? [`The parent was not told that "${description}" ended.`] : []),
		...(told > 1 && background
			? [`The parent was told ${told} times that "${description}" ended.`]
			: []),
	];
}
