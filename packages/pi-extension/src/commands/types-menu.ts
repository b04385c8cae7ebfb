import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { getAgentDir } from "@mariozechner/pi-coding-agent";
import type { AgentDefinition } from "@pi-subagents/core";
import {
	agentNameKey,
	createAgentFile,
	editAgentFile,
	type RegistryEntry,
	type WriteResult,
} from "@pi-subagents/definitions";
import { saveAgentEnabled, userSettingsFile } from "../settings.js";
import { type Choice, choose, type Menu } from "./command-context.js";
import { explainType } from "./explain-type.js";
import { createType } from "./new-type.js";
import { showText } from "./show-text.js";

type Action = Choice<() => Promise<void>>;

/** All agent types with where they come from; one to look at or change, or a new one; until the person goes back. */
export async function typesMenu(menu: Menu): Promise<void> {
	const { ctx, context } = menu;
	for (;;) {
		await context.refreshTypes();
		const { entries, withheld } = context.catalog;
		const types = entries.map(
			(entry): Action => ({
				label: `${entry.name} (${sourceOf(entry)})`,
				value: () => typeMenu(menu, entry.name),
			}),
		);
		const unused: Action = {
			label: `Agent files of this project that are not used (${withheld.length})`,
			value: context.askAboutProject,
		};
		const open = await choose(ctx, "Agent types", [
			...types,
			...(withheld.length > 0 ? [unused] : []),
			{ label: "New type", value: () => createType(menu) },
		]);
		if (open === undefined) return;
		await open();
	}
}

function sourceOf(entry: RegistryEntry): string {
	if (entry.state === "rejected") return "rejected";
	const { kind } = entry.definition.source;
	return entry.state === "disabled" ? `${kind}, disabled` : kind;
}

async function typeMenu(menu: Menu, name: string): Promise<void> {
	const { ctx, context } = menu;
	for (;;) {
		const key = agentNameKey(name);
		const entry = context.catalog.entries.find((other) => agentNameKey(other.name) === key);
		if (entry === undefined) return;
		const action = await choose(ctx, `${entry.name} (${sourceOf(entry)})`, actions(menu, entry));
		if (action === undefined) return;
		await action();
		await context.refreshTypes();
	}
}

function actions(menu: Menu, entry: RegistryEntry): readonly Action[] {
	const { ctx, context } = menu;
	const explain: Action = {
		label: "Explain: what would it get, and why",
		value: () => {
			const { modelRegistry, model } = ctx;
			const models = {
				available: modelRegistry.getAvailable(),
				known: modelRegistry.getAll(),
				parent: model,
			};
			return showText(ctx, entry.name, explainType(entry, context.settings(), models));
		},
	};
	const { file } = entry;
	const show: readonly Action[] =
		file === undefined ? [] : [{ label: "Show its file", value: () => showFile(menu, file) }];
	if (entry.state === "rejected") return [explain, ...show];
	const { kind } = entry.definition.source;
	const eject: Action = {
		label: "Eject: copy it to a file of yours",
		value: () => copy(menu, entry.definition),
	};
	const toggle: Action = {
		label: entry.state === "enabled" ? "Disable" : "Enable",
		value: () => switchType(menu, entry),
	};
	return [explain, ...show, toggle, ...(kind === "builtin" || kind === "package" ? [eject] : [])];
}

async function copy(menu: Menu, definition: AgentDefinition): Promise<void> {
	const { source: _, ...own } = definition;
	tell(menu, await createAgentFile(join(getAgentDir(), "agents"), own));
}

/** Where it is disabled it is enabled; it is disabled in its own file if that is the user's or the project's. */
async function switchType(
	menu: Menu,
	entry: Exclude<RegistryEntry, { readonly state: "rejected" }>,
): Promise<void> {
	const { file, name, definition } = entry;
	const { kind } = definition.source;
	const enable = entry.state === "disabled";
	const ownFile = kind === "user" || kind === "project" ? file : undefined;
	const place = enable ? entry.disabledBy : (ownFile ?? userSettingsFile(getAgentDir()));
	if (place === file) {
		tell(menu, await editAgentFile(file, { enabled: enable }));
		return;
	}
	try {
		await saveAgentEnabled(place, name, enable);
		tell(menu, { ok: true, file: place });
	} catch (error) {
		const message = `${place} was not changed: ${error instanceof Error ? error.message : error}`;
		tell(menu, { ok: false, message });
	}
	await menu.context.reloadSettings();
}

async function showFile({ ctx }: Menu, file: string): Promise<void> {
	try {
		await showText(ctx, file, await readFile(file, "utf8"));
	} catch (error) {
		ctx.ui.notify(`${file} could not be read: ${String(error)}.`, "error");
	}
}

function tell({ ctx }: Menu, written: WriteResult): void {
	if (written.ok) ctx.ui.notify(`Written: ${written.file}`);
	else ctx.ui.notify(written.message, "error");
}
