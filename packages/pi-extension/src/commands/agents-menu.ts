import type { AgentRecord } from "@pi-subagents/core";
import { headline, reportText } from "../report.js";
import { type Choice, choose, type Menu } from "./command-context.js";
import { settingsMenu } from "./settings-menu.js";
import { typesMenu } from "./types-menu.js";
import { worktreesMenu } from "./worktrees-menu.js";

/** All agents, newest first, and the ways to everything else. */
export async function agentsMenu(menu: Menu): Promise<void> {
	const { ctx, context } = menu;
	const now = Date.now();
	const agents = context.manager
		.listAgents()
		.toReversed()
		.map(
			(record): Choice<() => Promise<void>> => ({
				label: `${record.id} ${headline(record, now)}`,
				value: () => agentMenu(menu, record),
			}),
		);
	const open = await choose(ctx, "Sub-agents", [
		...agents,
		{ label: "Agent types", value: () => typesMenu(menu) },
		{ label: "Worktrees", value: () => worktreesMenu(menu) },
		{ label: "Settings", value: () => settingsMenu(menu) },
	]);
	await open?.();
}

async function agentMenu({ ctx, context }: Menu, record: AgentRecord): Promise<void> {
	const { manager } = context;
	const title = `${record.id} ${headline(record, Date.now())}`;
	const read = {
		label: "Read its report",
		value: async () => {
			await ctx.ui.editor(`Report of ${record.id}`, reportText(record, Date.now()));
		},
	};
	const steer = {
		label: "Send it a message",
		value: async () => {
			const message = await ctx.ui.input(`Message to ${record.id}`);
			if (!message?.trim()) return;
			const answer = await manager.steer(record.id, message).catch((error: unknown) => error);
			const accepted = answer === "delivered" || answer === "kept";
			const said = accepted
				? `${record.id} has the message.`
				: `${record.id} did not get it: ${answer}.`;
			ctx.ui.notify(said, accepted ? "info" : "error");
		},
	};
	const stop = {
		label: "Stop it",
		value: async () => {
			manager.abort(record.id, "user");
			ctx.ui.notify(`${record.id} was stopped; what it had is kept.`);
		},
	};
	const action = await choose(ctx, title, record.isTerminal ? [read] : [steer, stop]);
	await action?.();
}
