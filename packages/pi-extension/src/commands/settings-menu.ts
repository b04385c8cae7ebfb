import { getAgentDir } from "@mariozechner/pi-coding-agent";
import {
	parseSetting,
	SETTING_SPECS,
	type SettingKey,
	saveSetting,
	userSettingsFile,
} from "../settings.js";
import { choose, type Menu } from "./command-context.js";

/** Shows every setting and changes one, in the user's file. */
export async function settingsMenu({ ctx, context }: Menu): Promise<void> {
	const settings = context.settings();
	const values: Readonly<Record<string, unknown>> = { ...settings, ...settings.limits };
	const keys = Object.keys(SETTING_SPECS) as SettingKey[];
	const key = await choose(
		ctx,
		"Settings of sub-agents",
		keys.map((name) => ({
			label: `${name}: ${String(values[name])} (${SETTING_SPECS[name].help})`,
			value: name,
		})),
	);
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
	try {
		await saveSetting(file, key, parsed.value);
	} catch (error) {
		ctx.ui.notify(`Nothing was saved. ${error instanceof Error ? error.message : error}`, "error");
		return;
	}
	await context.reloadSettings();
	ctx.ui.notify(`${key} is now ${String(parsed.value)} (${file}).`);
}
