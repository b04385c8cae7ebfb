import type { AgentRecord } from "@pi-subagents/core";

/** `2 running, 1 queued, 1 failed, 3 ended`; empty if there are none. */
export function countsText(agents: readonly AgentRecord[]): string {
	let [running, queued, failed, ended] = [0, 0, 0, 0];
	for (const { status } of agents) {
		if (status === "running") running++;
		else if (status === "queued") queued++;
		else if (status === "error") failed++;
		else ended++;
	}
	return [
		running > 0 ? `${running} running` : "",
		queued > 0 ? `${queued} queued` : "",
		failed > 0 ? `${failed} failed` : "",
		ended > 0 ? `${ended} ended` : "",
	]
		.filter((text) => text !== "")
		.join(", ");
}
