import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { getAgentDir } from "@mariozechner/pi-coding-agent";
import type { AgentDefinition } from "@pi-subagents/core";
import {
	createAgentFile,
	editAgentFile,
	formatDiagnostic,
	type Invocation,
	type RegistryEntry,
	type WriteResult,
} from "@pi-subagents/definitions";
import { decide } from "../invocation.js";
import { type Choice, choose, type Menu } from "./command-context.js";

/** All agent types with where they come from; one to look at or change, or a new one. */
export async function typesMenu(menu: Menu): Promise<void> {
	const { ctx, context } = menu;
	await context.refreshTypes();
	const types = context.catalog.entries.map(
		(entry): Choice<() => Promise<void>> => ({
			label: `${entry.name} (${sourceOf(entry)})`,
			value: () => typeMenu(menu, entry),
		}),
	);
	const open = await choose(ctx, "Agent types", [
		...types,
		{ label: "New type", value: () => createType(menu) },
	]);
	await open?.();
}

function sourceOf(entry: RegistryEntry): string {
	if (entry.state === "rejected") return "rejected";
	const { kind } = entry.definition.source;
	return entry.state === "disabled" ? `${kind}, disabled` : kind;
}

async function typeMenu(menu: Menu, entry: RegistryEntry): Promise<void> {
	const { ctx, context } = menu;
	const explain = {
		label: "Explain: what would it get, and why",
		value: async () => {
			const text = explainType(entry, context.settings());
			await ctx.ui.editor(entry.name, text);
		},
	};
	const changes =
		entry.state === "rejected" ? [] : definitionActions(menu, entry, entry.definition);
	const action = await choose(ctx, `${entry.name} (${sourceOf(entry)})`, [explain, ...changes]);
	await action?.();
}

function definitionActions(
	menu: Menu,
	entry: RegistryEntry,
	definition: AgentDefinition,
): readonly Choice<() => Promise<void>>[] {
	const { file, kind } = definition.source;
	if (file === undefined) {
		return kind === "builtin"
			? [{ label: "Eject: copy it to a file of yours", value: () => eject(menu, definition) }]
			: [];
	}
	const enabled = entry.state === "enabled";
	const toggle = {
		label: enabled ? "Disable" : "Enable",
		value: async () => tell(menu, await editAgentFile(file, { enabled: !enabled })),
	};
	return [{ label: "Show its file", value: () => showFile(menu, file) }, toggle];
}

async function eject(menu: Menu, definition: AgentDefinition): Promise<void> {
	const { source: _, ...own } = definition;
	await tell(menu, await createAgentFile(join(getAgentDir(), "agents"), own));
}

async function showFile({ ctx }: Menu, file: string): Promise<void> {
	try {
		await ctx.ui.editor(file, await readFile(file, "utf8"));
	} catch (error) {
		ctx.ui.notify(`${file} could not be read: ${String(error)}.`, "error");
	}
}

async function createType(menu: Menu): Promise<void> {
	const { ctx } = menu;
	const name = await ctx.ui.input("Name of the new type", "reviewer");
	if (!name?.trim()) return;
	const description = await ctx.ui.input("When to use it, in one sentence");
	if (!description?.trim()) return;
	const tools = await ctx.ui.input(
		"Tools, separated by commas (empty: yours)",
		"read, grep, find, ls",
	);
	const prompt = await ctx.ui.editor(`Instructions for ${name}`, "");
	if (prompt === undefined) return;
	const listed =
		tools
			?.split(",")
			.map((tool) => tool.trim())
			.filter(Boolean) ?? [];
	const written = await createAgentFile(join(getAgentDir(), "agents"), {
		name: name.trim(),
		description: description.trim(),
		prompt,
		...(listed.length > 0 && { tools: listed }),
	});
	await tell(menu, written);
}

async function tell({ ctx, context }: Menu, written: WriteResult): Promise<void> {
	if (written.ok) ctx.ui.notify(`Written: ${written.file}`);
	else ctx.ui.notify(written.message, "error");
	await context.refreshTypes();
}

/** Every value that an agent of this type would get, each with where it comes from, and all that is to be said about it. */
export function explainType(entry: RegistryEntry, settings: Parameters<typeof decide>[3]): string {
	const notes = entry.diagnostics.map(formatDiagnostic);
	const shadowed = entry.shadowed.map((place) => `It is used instead of ${place}.`);
	if (entry.state === "rejected") return [...notes, ...shadowed].join("\n");
	const { definition } = entry;
	const decided = decide({}, entry, { ...definition, enabled: true }, settings);
	const values = decided.ok ? valueLines(decided.invocation) : [decided.message];
	return [
		definition.description,
		`source: ${definition.source.kind}${definition.source.file ? ` ${definition.source.file}` : ""}`,
		...(entry.state === "disabled" ? [`disabled by ${entry.disabledBy}`] : []),
		"",
		...values,
		...(notes.length + shadowed.length > 0 ? ["", ...notes, ...shadowed] : []),
		...(definition.prompt ? ["", definition.prompt] : []),
	].join("\n");
}

function valueLines(invocation: Invocation): readonly string[] {
	return Object.entries(invocation).map(([name, { value, source }]) => {
		const from = source.file ? `${source.kind} ${source.file}` : source.kind;
		return `${name}: ${shown(value)} (${from})`;
	});
}

function shown(value: unknown): string {
	if (value === undefined) return "not limited";
	if (Array.isArray(value)) return value.length === 0 ? "none" : value.join(", ");
	return String(value);
}
