import type { ExtensionUIContext } from "@mariozechner/pi-coding-agent";
import type { AgentRecord } from "@pi-subagents/core";
import { plural } from "../format.js";

const KEY = "subagents";

/** Keeps the number of agents that are alive in the host's status line, which then has nothing of ours else. */
export function statusLine(ui: ExtensionUIContext): {
	show(agents: readonly AgentRecord[], isOn: boolean): void;
} {
	let shown: string | undefined;
	return {
		show(agents, isOn) {
			const running = agents.filter(({ status }) => status === "running").length;
			const queued = agents.filter(({ status }) => status === "queued").length;
			const parts = [
				running > 0 ? `${plural(running, "agent")} running` : "",
				queued > 0 ? `${queued} queued` : "",
			].filter((part) => part !== "");
			const text = isOn && parts.length > 0 ? parts.join(", ") : undefined;
			if (text === shown) return;
			shown = text;
			ui.setStatus(KEY, text);
		},
	};
}
