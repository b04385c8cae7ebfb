import type { AgentRecord } from "@pi-subagents/core";
import { plural } from "../format.js";
import { hostMode } from "../host/host-mode.js";
import { headline, reportText } from "../report.js";
import { type Choice, choose, type Menu } from "./command-context.js";
import { costTable } from "./cost-table.js";
import { fleet } from "./fleet.js";
import { settingsMenu } from "./settings-menu.js";
import { showText } from "./show-text.js";
import { typesMenu } from "./types-menu.js";
import { worktreesMenu } from "./worktrees-menu.js";

type Action = Choice<() => Promise<void>>;

/** The places that are reached from the list of agents. */
const PLACES = {
	types: typesMenu,
	costs: costsMenu,
	worktrees: worktreesMenu,
	settings: settingsMenu,
};

/** All agents, and the ways to everything else: a view of its own in the terminal, dialogs over RPC. */
export async function agentsMenu(menu: Menu): Promise<void> {
	if (hostMode(menu.ctx) !== "tui") return agentsDialog(menu);
	await fleet(menu, (place) => PLACES[place](menu));
}

async function costsMenu({ ctx, context }: Menu): Promise<void> {
	await showText(ctx, "What agents have used", costTable(context.costs()));
}

/** All agents, newest first; again after each thing that was done, until the person goes back. */
async function agentsDialog(menu: Menu): Promise<void> {
	const { ctx, context } = menu;
	for (;;) {
		const agents = context.manager
			.listAgents()
			.toReversed()
			.map(
				(record): Action => ({
					label: `${record.id} ${headline(record, context.now())}`,
					value: () => agentMenu(menu, record),
				}),
			);
		const alive = context.manager.listAgents().filter((record) => !record.isTerminal).length;
		const stopAll: Action = {
			label: `Stop all (${alive})`,
			async value() {
				if (!(await ctx.ui.confirm(`Stop ${plural(alive, "agent")}?`, "What they had is kept.")))
					return;
				const { text, failed } = context.actions.stopAll();
				ctx.ui.notify(text, failed ? "error" : "info");
			},
		};
		const open = await choose(ctx, "Sub-agents", [
			...agents,
			...(alive > 0 ? [stopAll] : []),
			{ label: "Agent types", value: () => PLACES.types(menu) },
			{ label: "What they cost", value: () => PLACES.costs(menu) },
			{ label: "Worktrees", value: () => PLACES.worktrees(menu) },
			{ label: "Settings", value: () => PLACES.settings(menu) },
		]);
		if (open === undefined) return;
		await open();
	}
}

async function agentMenu(menu: Menu, record: AgentRecord): Promise<void> {
	const { ctx, context } = menu;
	const { actions, now } = context;
	const read: Action = {
		label: "Read its report",
		value: () => showText(ctx, `Report of ${record.id}`, reportText(record, now())),
	};
	const send: Action = {
		label: record.isTerminal ? "Give it a further task" : "Send it a message",
		async value() {
			const label = record.isTerminal ? "Further task for" : "Message to";
			const message = await ctx.ui.input(`${label} ${record.id}`);
			if (!message?.trim()) return;
			const { text, failed } = await actions.send(record, message, ctx);
			ctx.ui.notify(text, failed ? "error" : "info");
		},
	};
	const stop: Action = {
		label: "Stop it",
		async value() {
			const { text, failed } = actions.stop(record);
			ctx.ui.notify(text, failed ? "error" : "info");
		},
	};
	const title = `${record.id} ${headline(record, now())}`;
	const action = await choose(ctx, title, record.isTerminal ? [read, send] : [send, stop]);
	await action?.();
}
