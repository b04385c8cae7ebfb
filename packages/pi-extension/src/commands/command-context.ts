import type { ExtensionContext } from "@mariozechner/pi-coding-agent";
import type { AgentManager } from "@pi-subagents/runner";
import type { AgentActions } from "../agent-actions.js";
import type { AgentCatalog } from "../catalog.js";
import type { CostReport } from "../cost.js";
import type { Settings } from "../settings.js";
import type { Subagents } from "../subagents.js";
import type { FleetSource } from "../ui/fleet/fleet-source.js";

/** What the commands act on: the parts of the session that is open. */
export interface CommandContext {
	readonly manager: Pick<AgentManager<never>, "listAgents">;
	readonly actions: AgentActions;
	readonly now: () => number;
	readonly costs: () => CostReport;
	/** What the view of all agents shows; what it does, it does in this context. */
	readonly fleet: (ctx: ExtensionContext) => FleetSource;
	/** Takes the widget from the screen while the view shows the same. */
	readonly hideWidget: (hidden: boolean) => void;
	readonly subagents: Subagents;
	readonly catalog: AgentCatalog;
	readonly settings: () => Settings;
	/** Reads the settings again and puts them in force. */
	readonly reloadSettings: () => Promise<void>;
	/** Reads agent files that changed, and tells the model of other types. */
	readonly refreshTypes: () => Promise<void>;
	/** Asks about the files of the project that do not count; resolves when the answer is in force. */
	readonly askAboutProject: () => Promise<void>;
}

/** What a menu works with. */
export interface Menu {
	readonly ctx: ExtensionContext;
	readonly context: CommandContext;
}

/** One line of a menu. */
export interface Choice<T> {
	readonly label: string;
	readonly value: T;
}

/**
 * Lets the person choose, in the terminal or over RPC; `undefined` if nothing was chosen. Lines that read the same are
 * numbered, so that each is still a choice of its own.
 */
export async function choose<T>(
	ctx: ExtensionContext,
	title: string,
	choices: readonly Choice<T>[],
): Promise<T | undefined> {
	const seen = new Map<string, number>();
	const labels = choices.map(({ label }) => {
		const count = (seen.get(label) ?? 0) + 1;
		seen.set(label, count);
		return count === 1 ? label : `${label} (${count})`;
	});
	const chosen = await ctx.ui.select(title, labels);
	return chosen === undefined ? undefined : choices[labels.indexOf(chosen)]?.value;
}
