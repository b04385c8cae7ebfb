import type { AgentRecord } from "@pi-subagents/core";
import { oneLine, plural } from "../../format.js";
import type { FleetSource } from "./fleet-source.js";
import type { PanelHost } from "./panel.js";

/** Asks for a message to a running agent, or for a further task of one that ended, and sends it. */
export function askMessage(source: FleetSource, host: PanelHost, record: AgentRecord): void {
	const label = record.isTerminal ? "Further task for" : "Message to";
	host.ask(`${label} ${nameOf(record)}`, (text) => {
		if (text.trim() === "") return;
		void source.send(record, text).then(host.say);
	});
}

/** Asks whether to stop an agent, and stops it. */
export function askStop(source: FleetSource, host: PanelHost, record: AgentRecord): void {
	if (record.isTerminal) host.say(`${nameOf(record)} has already ended.`);
	else host.confirm(`Stop ${nameOf(record)}?`, () => host.say(source.stop(record)));
}

/** Asks whether to stop every agent that runs or waits, and stops them. */
export function askStopAll(source: FleetSource, host: PanelHost): void {
	const alive = source.agents().filter((record) => !record.isTerminal).length;
	if (alive === 0) host.say("No agent is running or queued.");
	else host.confirm(`Stop ${plural(alive, "agent")}?`, () => host.say(source.stopAll()));
}

function nameOf(record: AgentRecord): string {
	return `${oneLine(record.description, 40) || oneLine(record.type, 30)} (${record.id})`;
}
