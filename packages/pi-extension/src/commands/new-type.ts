import { join } from "node:path";
import { getAgentDir } from "@mariozechner/pi-coding-agent";
import {
	agentNameKey,
	checkAgentName,
	createAgentFile,
	type RegistryEntry,
} from "@pi-subagents/definitions";
import { plural } from "../format.js";
import { type Choice, choose, type Menu } from "./command-context.js";

/** What was typed so far. */
interface Draft {
	readonly name: string;
	readonly description: string;
	/** Separated by commas. */
	readonly tools: string;
	readonly prompt: string;
}

type Step = (menu: Menu, draft: Draft) => Promise<Draft>;

/**
 * Asks for a new type, step by step, and shows all of it before it is written. Whatever goes wrong, what was typed stays
 * until the person discards it.
 */
export async function createType(menu: Menu): Promise<void> {
	const { ctx, context } = menu;
	let draft: Draft = { name: "", description: "", tools: "", prompt: "" };
	for (const step of [askName, askDescription, askTools, askPrompt]) {
		draft = await step(menu, draft);
		// Who goes back at the beginning wants no new type.
		if (draft.name === "") return;
	}
	for (;;) {
		const change = (label: string, step: Step): Choice<Step> => ({ label, value: step });
		const choice = await choose<Step | "write">(ctx, `New type ${draft.name}`, [
			{ label: "Write it", value: "write" },
			change(`Name: ${draft.name}`, askName),
			change(`Description: ${draft.description || "(none)"}`, askDescription),
			change(`Tools: ${draft.tools || "(yours)"}`, askTools),
			change(`Instructions: ${plural(draft.prompt.split("\n").length, "line")}`, askPrompt),
		]);
		if (choice === "write") {
			if (await write(menu, draft)) break;
		} else if (choice !== undefined) draft = await choice(menu, draft);
		else if (await ctx.ui.confirm(`Discard ${draft.name}?`, "What you typed is lost.")) return;
	}
	await context.refreshTypes();
}

async function askName({ ctx, context }: Menu, draft: Draft): Promise<Draft> {
	let typed = draft.name;
	let problem = "";
	for (;;) {
		const title = `Name of the new type${problem}`;
		const answer =
			typed === "" ? await ctx.ui.input(title, "reviewer") : await ctx.ui.editor(title, typed);
		if (answer === undefined) return draft;
		typed = answer.trim();
		const why = checkAgentName(typed) ?? takenBy(typed, context.catalog.entries);
		if (why === undefined) return { ...draft, name: typed };
		problem = `. ${JSON.stringify(typed)} cannot be used: ${why}`;
	}
}

/** A file that the new one would have to replace; a type from elsewhere is replaced as any file replaces one. */
function takenBy(name: string, entries: readonly RegistryEntry[]): string | undefined {
	const entry = entries.find((other) => agentNameKey(other.name) === agentNameKey(name));
	const isUsers = entry?.file?.startsWith(join(getAgentDir(), "agents"));
	return isUsers ? `${entry?.file} has that name` : undefined;
}

async function askDescription({ ctx }: Menu, draft: Draft): Promise<Draft> {
	const title = "When to use it, in one sentence";
	const description = draft.description
		? await ctx.ui.editor(title, draft.description)
		: await ctx.ui.input(title);
	return description === undefined ? draft : { ...draft, description: description.trim() };
}

async function askTools({ ctx }: Menu, draft: Draft): Promise<Draft> {
	const title = "Tools, separated by commas (empty: yours)";
	const tools = draft.tools
		? await ctx.ui.editor(title, draft.tools)
		: await ctx.ui.input(title, "read, grep, find, ls");
	return tools === undefined ? draft : { ...draft, tools: tools.trim() };
}

async function askPrompt({ ctx }: Menu, draft: Draft): Promise<Draft> {
	const prompt = await ctx.ui.editor(`Instructions for ${draft.name}`, draft.prompt);
	return prompt === undefined ? draft : { ...draft, prompt };
}

/** Whether it was written; a file that could only be loaded with a warning is not, and the person is told why. */
async function write({ ctx }: Menu, draft: Draft): Promise<boolean> {
	const { tools, ...rest } = draft;
	const listed = tools.split(/[,\n]/).flatMap((tool) => tool.trim() || []);
	const written = await createAgentFile(join(getAgentDir(), "agents"), {
		...rest,
		...(listed.length > 0 && { tools: listed }),
	});
	if (written.ok) ctx.ui.notify(`Written: ${written.file}`);
	else ctx.ui.notify(`Nothing was written. ${written.message}`, "error");
	return written.ok;
}
