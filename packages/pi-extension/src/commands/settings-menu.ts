import { getAgentDir } from "@mariozechner/pi-coding-agent";
import {
	parseSetting,
	SETTING_SPECS,
	type SettingKey,
	saveSetting,
	userSettingsFile,
} from "../settings.js";
import { choose, type Menu } from "./command-context.js";

/** Shows every setting with its value, and changes one after the other in the user's file, until the person goes back. */
export async function settingsMenu(menu: Menu): Promise<void> {
	const { ctx, context } = menu;
	const keys = Object.keys(SETTING_SPECS) as SettingKey[];
	for (;;) {
		const key = await choose(
			ctx,
			"Settings of sub-agents",
			keys.map((name) => ({
				label: `${name}: ${shown(current(name))} (${SETTING_SPECS[name].help})`,
				value: name,
			})),
		);
		if (key === undefined) return;
		await changeSetting(menu, key, current(key));
	}

	function current(key: SettingKey): unknown {
		const settings = context.settings();
		const values: Readonly<Record<string, unknown>> = { ...settings, ...settings.limits };
		return values[key];
	}
}

async function changeSetting({ ctx, context }: Menu, key: SettingKey, now: unknown): Promise<void> {
	const spec = SETTING_SPECS[key];
	const title = `${key} (now ${shown(now)}): ${spec.help}`;
	const text =
		spec.kind === "choice"
			? await ctx.ui.select(title, spec.choices.map(String))
			: await ctx.ui.input(`${title}; empty changes nothing`, shown(now));
	if (text === undefined || text.trim() === "") return;
	// A list is never empty because nothing was typed.
	const parsed = parseSetting(key, spec.kind === "list" && text.trim() === "none" ? "" : text);
	if (typeof parsed === "string") {
		ctx.ui.notify(`${parsed} Nothing was changed; it is still ${shown(now)}.`, "error");
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
	const { decidedBy } = context.settings();
	const decider = decidedBy[key];
	if (decider !== undefined && decider !== file) {
		ctx.ui.notify(
			`${key} is ${shown(parsed.value)} in ${file}, but ${decider} decides it here.`,
			"warning",
		);
	} else ctx.ui.notify(`${key} is now ${shown(parsed.value)} (${file}).`);
}

function shown(value: unknown): string {
	if (!Array.isArray(value)) return String(value);
	return value.length === 0 ? "none" : value.join(", ");
}
