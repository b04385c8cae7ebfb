import type { ModelRegistry } from "@mariozechner/pi-coding-agent";
import { type AgentDefinition, THINKING_LEVELS, type ThinkingLevel } from "@pi-subagents/core";
import type { Launch } from "./agent-book.js";
import type { ChildContext } from "./child/child-session.js";
import type { ParentSnapshot } from "./parent-snapshot.js";
import type { Settings } from "./settings.js";
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

export async function resolveCall(
	call: SubagentCall,
	definition: AgentDefinition,
	settings: Settings,
	parent: ParentSnapshot,
	registry: ModelRegistry,
): Promise<ResolvedCall | { readonly problem: string }> {
	const model = call.model
		? registry
				.getAvailable()
				.find((m) => `${m.provider}/${m.id}` === call.model || m.id === call.model)
		: parent.model;
	if (!model)
		return {
			problem: `The model ${JSON.stringify(call.model)} is not known or has no key. Available: ${registry
				.getAvailable()
				.map((m) => `${m.provider}/${m.id}`)
				.join(", ")}.`,
		};
	if (
		call.thinking !== undefined &&
		!(THINKING_LEVELS as readonly string[]).includes(call.thinking)
	)
		return {
			problem: `thinking is ${JSON.stringify(call.thinking)}; it must be one of ${THINKING_LEVELS.join(", ")}.`,
		};
	if (call.isolation !== undefined && call.isolation !== "none" && call.isolation !== "worktree")
		return {
			problem: `isolation is ${JSON.stringify(call.isolation)}; it must be "none" or "worktree".`,
		};
	const limits = {
		...settings.limits,
		...definition.limits,
		...(call.max_turns !== undefined && { maxTurns: call.max_turns }),
	};
	const thinking = (call.thinking ?? definition.thinking ?? parent.thinkingLevel) as ThinkingLevel;
	const isolated = call.isolated ?? definition.isolated ?? false;
	return {
		context: { definition, model, thinking, isolated, parent },
		launch: {
			cwd: call.cwd ?? parent.cwd,
			isolated,
			isolation: "none",
			limits,
			model: `${model.provider}/${model.id}`,
			thinking,
		},
		background: call.run_in_background ?? definition.runInBackground ?? false,
		inheritContext: call.inherit_context ?? definition.inheritContext ?? false,
		notes: [],
	};
}

/** What a resumed agent's session is made from: as it was started, with what its parent is now. */
export function contextFromLaunch(
	launch: Launch,
	definition: AgentDefinition,
	parent: ParentSnapshot,
	registry: ModelRegistry,
): ChildContext {
	const slash = launch.model?.indexOf("/") ?? -1;
	const model = launch.model && registry.find(launch.model.slice(0, slash), launch.model.slice(slash + 1));
	return {
		definition,
		model: model || parent.model,
		thinking: launch.thinking,
		isolated: launch.isolated,
		parent,
	};
}
