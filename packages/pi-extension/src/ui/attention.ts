import { basename } from "node:path";
import type { ExtensionUIContext } from "@mariozechner/pi-coding-agent";
import type { AgentRecord } from "@pi-subagents/core";
import { plural } from "../format.js";
import type { Settings } from "../settings.js";

/** What tells a person who looks elsewhere. */
export interface AttentionSurroundings {
	readonly ui: Pick<ExtensionUIContext, "setTitle">;
	readonly cwd: string;
	readonly mode: () => Settings["onEnd"];
	readonly ring: () => void;
}

/** Tells, as it is set, that no agent is alive any more. */
export function createAttention({ ui, cwd, mode, ring }: AttentionSurroundings): {
	/** An agent has ended. */
	ended(agents: readonly AgentRecord[]): void;
	/** The person is back. */
	seen(): void;
} {
	let titled = false;
	return {
		ended(agents) {
			if (agents.some((record) => !record.isTerminal)) return;
			const how = mode();
			if (how === "bell" || how === "both") ring();
			if (how !== "title" && how !== "both") return;
			const failed = agents.filter(({ status }) => status === "error").length;
			const what = failed > 0 ? `✗ ${plural(failed, "agent")} failed` : "✓ agents ended";
			ui.setTitle(`${what} - ${basename(cwd)}`);
			titled = true;
		},
		seen() {
			// As both hosts have it.
			if (titled) ui.setTitle(`π - ${basename(cwd)}`);
			titled = false;
		},
	};
}
