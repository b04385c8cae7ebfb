import { setTimeout as delay } from "node:timers/promises";
import type { HostLine } from "../host-line.js";
import type { RpcConnection } from "./rpc-connection.js";

/**
 * Waits until the run that was going on from the event `from` on is over for good, with its retries and compactions.
 *
 * 1.6.0 says so (`agent_settled`). 0.73.1 does not: there, a run is over when every start has its end, no retry and no
 * compaction is going on or will restart the agent, and the host says that it is idle.
 */
export async function runSettled(connection: RpcConnection, from: number): Promise<void> {
	for (;;) {
		const seen = connection.events.length;
		const state = runState(connection.events.slice(from));
		if (state === "settled") return;
		if (state === "running") {
			await connection.waitFor(() => true, seen);
			continue;
		}
		// The answer comes after all events that were on their way, among them the start of something new.
		const idle = await saysIdle(connection);
		if (idle && connection.events.length === seen) return;
	}
}

/** How often a host is asked whether it is idle: 0.73.1 becomes so a moment after its last event, and says nothing then. */
const LOOK_MS = 10;

/** Waits until the host says that it does nothing. */
export async function untilIdle(connection: RpcConnection): Promise<void> {
	while (!(await saysIdle(connection))) await delay(LOOK_MS);
}

/** What the events since a prompt tell of its run; `perhaps` needs the host's word. */
export function runState(events: readonly HostLine[]): "settled" | "perhaps" | "running" {
	const last = (...types: readonly string[]): HostLine | undefined =>
		events.findLast((event) => types.includes(event.type));
	if (last("agent_settled")) return "settled";
	const agent = last("agent_start", "agent_end");
	// Only 1.6.0 says `willRetry`, and it will say when it has settled, too.
	if (agent?.type !== "agent_end" || "willRetry" in agent) return "running";
	// Every attempt has its start, but only the last one an end.
	if (last("auto_retry_start", "auto_retry_end")?.type === "auto_retry_start") return "running";
	const compaction = last("compaction_start", "compaction_end", "agent_start");
	if (compaction?.type === "compaction_start") return "running";
	const restarts = compaction?.willRetry === true && compaction.result !== undefined;
	return restarts ? "running" : "perhaps";
}

async function saysIdle(connection: RpcConnection): Promise<boolean> {
	const { data } = await connection.send({ type: "get_state" });
	return (
		typeof data === "object" &&
		data !== null &&
		!("isStreaming" in data && data.isStreaming === true) &&
		!("isCompacting" in data && data.isCompacting === true)
	);
}
