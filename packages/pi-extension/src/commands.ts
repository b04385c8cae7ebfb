import type { ExtensionAPI, ExtensionCommandContext } from "@mariozechner/pi-coding-agent";
import { getAgentDir } from "@mariozechner/pi-coding-agent";
import type { AgentRecord } from "@pi-subagents/core";
import type { AgentManager } from "@pi-subagents/runner";
import { headline, reportText } from "./report.js";
import {
	parseSetting,
	SETTING_SPECS,
	type SettingKey,
	type Settings,
	saveSetting,
	userSettingsFile,
} from "./settings.js";

/** What the commands act on; the parts of the session that is open. */
export interface CommandContext {
	readonly manager: AgentManager<never>;
	readonly settings: () => Settings;
	/** Reads the settings again and puts them in force. */
	readonly reloadSettings: () => Promise<void>;
	/** The agent types as lines for people. */
	readonly typeLines: () => readonly string[];
}

/** Registers `/agents` and `/subagents:settings`. */
export function registerCommands(
	pi: ExtensionAPI,
	context: () => CommandContext | undefined,
): void {
	pi.registerCommand("agents", {
		description: "Sub-agents: read, steer, stop; agent types",
		handler: (_, ctx) => withContext(ctx, context(), agentsMenu),
	});
	pi.registerCommand("subagents:settings", {
		description: "Settings of sub-agents",
		handler: (_, ctx) => withContext(ctx, context(), settingsMenu),
	});
}

async function withContext(
	ctx: ExtensionCommandContext,
	context: CommandContext | undefined,
	show: (ctx: ExtensionCommandContext, context: CommandContext) => Promise<void>,
): Promise<void> {
	if (context !== undefined && ctx.hasUI) await show(ctx, context);
}

async function agentsMenu(ctx: ExtensionCommandContext, context: CommandContext): Promise<void> {
	const records = context.manager.listAgents().toReversed();
	// Numbered, so that two agents with the same words are still two choices.
	const choices = records.map((record, index) => `${index + 1}. ${headline(record, Date.now())}`);
	const types = "Agent types";
	const chosen = await ctx.ui.select("Sub-agents", [...choices, types]);
	if (chosen === undefined) return;
	if (chosen === types) {
		await ctx.ui.select("Agent types", [...context.typeLines()]);
		return;
	}
	const record = records[choices.indexOf(chosen)];
	if (record !== undefined) await agentMenu(ctx, context, record);
}

async function agentMenu(
	ctx: ExtensionCommandContext,
	{ manager }: CommandContext,
	record: AgentRecord,
): Promise<void> {
	const actions = record.isTerminal ? ["Read its report"] : ["Send a message", "Stop it"];
	switch (await ctx.ui.select(headline(record, Date.now()), actions)) {
		case "Read its report":
			await ctx.ui.editor(`Report of ${record.id}`, reportText(record, Date.now()));
			return;
		case "Send a message": {
			const message = await ctx.ui.input(`Message to ${record.id}`);
			if (message?.trim())
				ctx.ui.notify(`${record.id}: ${await manager.steer(record.id, message)}`);
			return;
		}
		case "Stop it":
			ctx.ui.notify(`${record.id}: ${manager.abort(record.id, "user")}`);
			return;
		default:
			return;
	}
}

async function settingsMenu(ctx: ExtensionCommandContext, context: CommandContext): Promise<void> {
	const settings = context.settings();
	const values: Readonly<Record<string, unknown>> = { ...settings, ...settings.limits };
	const keys = Object.keys(SETTING_SPECS) as SettingKey[];
	const lines = keys.map((key) => `${key}: ${String(values[key])} — ${SETTING_SPECS[key].help}`);
	const chosen = await ctx.ui.select("Settings of sub-agents", lines);
	const key = keys[chosen === undefined ? -1 : lines.indexOf(chosen)];
	if (key === undefined) return;
	const spec = SETTING_SPECS[key];
	const text =
		spec.kind === "choice"
			? await ctx.ui.select(key, spec.choices.map(String))
			: await ctx.ui.input(`${key}: ${spec.help}`, String(values[key]));
	if (text === undefined) return;
	const parsed = parseSetting(key, text);
	if (typeof parsed === "string") {
		ctx.ui.notify(parsed, "error");
		return;
	}
	const file = userSettingsFile(getAgentDir());
	await saveSetting(file, key, parsed.value);
	await context.reloadSettings();
	ctx.ui.notify(`${key} is now ${String(parsed.value)} (${file}).`);
}
