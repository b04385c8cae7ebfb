import type { ExtensionAPI, ExtensionContext } from "@mariozechner/pi-coding-agent";
import { agentsMenu } from "./agents-menu.js";
import type { CommandContext, Menu } from "./command-context.js";
import { settingsMenu } from "./settings-menu.js";

/** Registers the commands. They do nothing where nobody can answer. */
export function registerCommands(
	pi: ExtensionAPI,
	context: () => CommandContext | undefined,
): void {
	const register = (name: string, description: string, show: (menu: Menu) => Promise<void>): void =>
		pi.registerCommand(name, {
			description,
			handler: (_, ctx) => open(ctx, context(), show),
		});
	register(
		"agents",
		"Sub-agents: read, steer, stop; types, costs, worktrees, settings",
		agentsMenu,
	);
	register("subagents:sessions", "Sub-agents of this session", agentsMenu);
	register("subagents:settings", "Settings of sub-agents", settingsMenu);
}

/** Opens the agents, as the command does; for the shortcut. */
export function openAgents(
	ctx: ExtensionContext,
	context: CommandContext | undefined,
): Promise<void> {
	return open(ctx, context, agentsMenu);
}

async function open(
	ctx: ExtensionContext,
	context: CommandContext | undefined,
	show: (menu: Menu) => Promise<void>,
): Promise<void> {
	if (context !== undefined && ctx.hasUI) await show({ ctx, context });
}
