import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { getSupportedThinkingLevels } from "@mariozechner/pi-ai";
import type { ModelRegistry } from "@mariozechner/pi-coding-agent";
import type { AgentDefinition } from "@pi-subagents/core";
import {
	clampThinking,
	type FieldName,
	type InvocationResolution,
	limitsOf,
	type RegistryEntry,
	resolveInvocation,
	resolveModel,
	type ValueSource,
} from "@pi-subagents/definitions";
import type { Launch } from "./agent-book.js";
import type { ChildContext } from "./child/child-session.js";
import { availableModels } from "./missing-models.js";
import type { HostModel, ParentSnapshot } from "./parent-snapshot.js";
import type { SettingKey, Settings } from "./settings.js";
import type { SubagentCall } from "./tools/subagent-tool.js";

/** A call with every decision taken. */
export interface ResolvedCall {
	readonly context: ChildContext;
	readonly launch: Launch;
	readonly background: boolean;
	readonly inheritContext: boolean;
	/** Sentences for the result: parameters without effect, replacements. */
	readonly notes: readonly string[];
}

/** Why a call cannot be carried out, in sentences for the model. */
export interface RefusedCall {
	readonly problem: string;
}

/** What a call is resolved against. */
export interface CallSurroundings {
	readonly settings: Settings;
	readonly parent: ParentSnapshot;
	readonly registry: ModelRegistry;
}

/** Decides everything about a new agent before anything is made, or says why there can be none. */
export async function resolveCall(
	call: SubagentCall,
	entry: RegistryEntry,
	definition: AgentDefinition,
	{ settings, parent, registry }: CallSurroundings,
): Promise<ResolvedCall | RefusedCall> {
	const decided = decide(call, entry, definition, settings);
	if (!decided.ok) return { problem: decided.message };
	const { invocation, ignored } = decided;
	const found = resolveModel<HostModel>(invocation.model.value, {
		// Both are slow, and not needed for a model that is inherited.
		get available() {
			return registry.getAvailable();
		},
		get known() {
			return registry.getAll();
		},
		parent: parent.model,
	});
	if (!found.found) {
		const asker = whoAsks(invocation.model.source, definition);
		return { problem: `${found.message} ${asker} ${availableModels(registry.getAvailable())}` };
	}
	const cwd = await resolveDirectory(invocation.cwd.value, parent.cwd);
	if (typeof cwd !== "string") return cwd;

	const { model } = found;
	const asked = invocation.thinking.value;
	const supported = getSupportedThinkingLevels(model);
	const thinking = clampThinking(asked ?? parent.thinkingLevel, supported);
	const clamped = `${model.id} has no thinking level ${asked}; ${thinking} is used.`;
	const isolated = invocation.isolated.value;
	const { stallSteerSeconds } = settings.limits;
	return {
		context: {
			definition,
			model,
			thinking,
			isolated,
			cwd,
			excludedExtensions: settings.excludeExtensions,
			parent,
			inherited: [],
		},
		launch: {
			cwd,
			model: `${model.provider}/${model.id}`,
			thinking,
			isolated,
			isolation: invocation.isolation.value,
			limits: { ...limitsOf(invocation), ...(stallSteerSeconds > 0 && { stallSteerSeconds }) },
		},
		background: invocation.run_in_background.value,
		inheritContext: invocation.inherit_context.value,
		notes: [
			...ignored.map(({ reason }) => reason),
			...found.skipped.map(({ reason }) => `${reason} ${found.query} is used.`),
			...(asked !== undefined && thinking !== asked ? [clamped] : []),
		],
	};
}

/** Who wants a model, as a sentence. */
function whoAsks({ kind, file }: ValueSource, { name }: AgentDefinition): string {
	switch (kind) {
		case "call":
			return "The call asks for it.";
		case "override":
			return `The override of ${name} in ${file} asks for it.`;
		case "file":
			return `The definition of ${name}${file === undefined ? "" : ` in ${file}`} asks for it.`;
		default:
			return "No model is asked for.";
	}
}

/** Every value of a call with its source; what *explain* shows. */
export function decide(
	call: Readonly<Record<string, unknown>>,
	entry: RegistryEntry,
	definition: AgentDefinition,
	settings: Settings,
): InvocationResolution {
	return resolveInvocation({
		definition,
		overridden: entry.overridden,
		call,
		...settingFields(settings),
	});
}

/** The settings that have the name of a field, by that name. */
const FIELD_SETTINGS = {
	max_turns: "maxTurns",
	grace_turns: "graceTurns",
	max_seconds: "maxSeconds",
	max_tokens: "maxTokens",
	max_cost: "maxCost",
	tool_seconds: "toolSeconds",
	stall_seconds: "stallSeconds",
} as const satisfies Partial<Record<FieldName, SettingKey>>;

/** What settings files say for all agents, each with its file. */
function settingFields({ limits, isolation, decidedBy }: Settings): {
	readonly settings: Readonly<Record<string, number | string>>;
	readonly settingsFile: Readonly<Partial<Record<FieldName, string>>>;
} {
	const decided = Object.entries(FIELD_SETTINGS).flatMap(([field, key]) => {
		const [file, value] = [decidedBy[key], limits[key]];
		// 0 means no limit, which is what holds if nothing is said; only for the grace turns it is a number like others.
		return file !== undefined && (value > 0 || key === "graceTurns")
			? [{ field, file, value }]
			: [];
	});
	const { isolation: file } = decidedBy;
	const all = [
		...decided,
		...(file === undefined ? [] : [{ field: "isolation", file, value: isolation }]),
	];
	return {
		settings: Object.fromEntries(all.map(({ field, value }) => [field, value])),
		settingsFile: Object.fromEntries(all.map(({ field, file }) => [field, file])),
	};
}

/** A directory that is there: absolute, below the home for `~`, or relative to the parent's. */
async function resolveDirectory(
	asked: string | undefined,
	parentCwd: string,
): Promise<string | RefusedCall> {
	if (asked === undefined) return parentCwd;
	const path = resolve(parentCwd, asked.replace(/^~(?=$|[\\/])/, homedir()));
	const found = await stat(path).catch(() => undefined);
	if (found?.isDirectory()) return path;
	const what = found === undefined ? "does not exist" : "is no directory";
	return { problem: `cwd is ${JSON.stringify(asked)}, but ${path} ${what}.` };
}

/** What a resumed agent's session is made from: as it was started, with what its parent is now. */
export function contextFromLaunch(
	launch: Launch,
	definition: AgentDefinition,
	{ parent, registry, settings }: CallSurroundings,
): ChildContext | RefusedCall {
	const { model: name, thinking, isolated } = launch;
	const model = registry.getAvailable().find(({ provider, id }) => `${provider}/${id}` === name);
	if (model === undefined) {
		return { problem: `its model ${name} is not there any more, or has no working credentials.` };
	}
	const excludedExtensions = settings.excludeExtensions;
	return {
		definition,
		model,
		thinking,
		isolated,
		cwd: launch.cwd,
		excludedExtensions,
		parent,
		inherited: [],
	};
}
