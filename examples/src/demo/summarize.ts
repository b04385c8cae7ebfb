import type { Delegation, DemoAgent } from "./demo-agent.js";
import { plural, seconds, wrap } from "./lines.js";
import type { Paint } from "./paint.js";

/** Each agent's report and what it used, and all of them together. */
export function summarize(
	{ agents, notifications }: Delegation,
	paint: Paint,
	width: number,
): readonly string[] {
	const ends = agents.flatMap(({ end }) => end ?? []);
	const total = (pick: (end: (typeof ends)[number]) => number): number =>
		ends.reduce((sum, end) => sum + pick(end), 0);
	const used = [
		plural(
			total(({ toolUses }) => toolUses),
			"tool use",
		),
		`${total(({ tokens }) => tokens)} tokens`,
		dollars(total(({ cost }) => cost)),
	];
	const told = `the parent was told of the background ones in ${plural(notifications, "message")}`;
	return [
		...agents.flatMap((agent) => [...agentLines(agent, paint, width), ""]),
		`${paint("bold", plural(agents.length, "agent"))}: ${used.join(", ")}; ${told}.`,
	];
}

function agentLines(agent: DemoAgent, paint: Paint, width: number): readonly string[] {
	const { end, type, description, background, messages } = agent;
	const how = [
		type,
		background ? "background" : "foreground",
		...messages.map((message) => `steered "${message}"`),
	];
	const used = end && [
		end.status,
		plural(end.turns, "turn"),
		plural(end.toolUses, "tool use"),
		`${end.tokens} tokens`,
		dollars(end.cost),
		seconds(end.duration),
	];
	const good = end?.status === "completed";
	return [
		`${good ? paint("green", "✓") : paint("red", "✗")} ${paint("bold", description)} ${paint("dim", `(${how.join(", ")})`)}`,
		`  ${paint(good ? "green" : "red", used?.join(", ") ?? "has not ended")}`,
		...wrap(end?.text ?? "", width - 2).map((line) => `  ${line}`),
	];
}

function dollars(cost: number): string {
	return `$${cost.toFixed(4)}`;
}
