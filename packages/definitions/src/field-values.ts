import type {
	AgentDefinition,
	DefinitionSource,
	Isolation,
	PromptMode,
	RunLimits,
	ThinkingLevel,
} from "@pi-subagents/core";

/** The values of an agent file's header, by the names that the fields have there. */
export interface FieldValues {
	readonly name?: string;
	readonly description?: string;
	readonly display_name?: string;
	readonly color?: string;
	readonly tools?: readonly string[];
	readonly disallowed_tools?: readonly string[];
	readonly extensions?: readonly string[];
	readonly exclude_extensions?: readonly string[];
	readonly skills?: readonly string[];
	readonly model?: readonly string[];
	readonly thinking?: ThinkingLevel;
	readonly max_turns?: number;
	readonly grace_turns?: number;
	readonly max_seconds?: number;
	readonly max_tokens?: number;
	readonly max_cost?: number;
	readonly tool_seconds?: number;
	readonly stall_seconds?: number;
	readonly prompt_mode?: PromptMode;
	readonly inherit_context?: boolean;
	readonly isolated?: boolean;
	readonly isolation?: Isolation;
	readonly run_in_background?: boolean;
	readonly subagents?: readonly string[];
	readonly enabled?: boolean;
	readonly hidden?: boolean;
	readonly locked?: readonly string[];
}

/** The fields of an agent file, by the names that they have there. */
export type FieldName = keyof FieldValues;

/** The call parameters that `locked` can name. */
export const CALL_PARAMETERS: readonly CallParameter[] = Object.freeze([
	"model",
	"thinking",
	"max_turns",
	"run_in_background",
	"inherit_context",
	"isolated",
	"isolation",
	"cwd",
] as const);

/** A call parameter that `locked` can name. */
export type CallParameter =
	| "model"
	| "thinking"
	| "max_turns"
	| "run_in_background"
	| "inherit_context"
	| "isolated"
	| "isolation"
	| "cwd";

/** A definition from the values of its fields. */
export function toDefinition(
	values: FieldValues & { readonly name: string; readonly description: string },
	prompt: string,
	source: DefinitionSource,
): AgentDefinition {
	const limits: RunLimits = withoutUndefined({
		maxTurns: values.max_turns,
		graceTurns: values.grace_turns,
		maxSeconds: values.max_seconds,
		maxTokens: values.max_tokens,
		maxCost: values.max_cost,
		toolSeconds: values.tool_seconds,
		stallSeconds: values.stall_seconds,
	});
	return withoutUndefined({
		name: values.name,
		description: values.description,
		displayName: values.display_name,
		color: values.color,
		prompt,
		promptMode: values.prompt_mode,
		tools: values.tools,
		disallowedTools: values.disallowed_tools,
		extensions: values.extensions,
		excludeExtensions: values.exclude_extensions,
		skills: values.skills,
		model: values.model,
		thinking: values.thinking,
		limits: Object.keys(limits).length > 0 ? limits : undefined,
		inheritContext: values.inherit_context,
		isolated: values.isolated,
		isolation: values.isolation,
		runInBackground: values.run_in_background,
		subagents: values.subagents,
		enabled: values.enabled,
		hidden: values.hidden,
		locked: values.locked,
		source,
	});
}

/** The values of a definition's fields: what its agent file's header says, or would say. */
export function toFieldValues(definition: Omit<AgentDefinition, "source">): FieldValues {
	return withoutUndefined({
		name: definition.name,
		description: definition.description,
		display_name: definition.displayName,
		color: definition.color,
		tools: definition.tools,
		disallowed_tools: definition.disallowedTools,
		extensions: definition.extensions,
		exclude_extensions: definition.excludeExtensions,
		skills: definition.skills,
		model: definition.model,
		thinking: definition.thinking,
		max_turns: definition.limits?.maxTurns,
		grace_turns: definition.limits?.graceTurns,
		max_seconds: definition.limits?.maxSeconds,
		max_tokens: definition.limits?.maxTokens,
		max_cost: definition.limits?.maxCost,
		tool_seconds: definition.limits?.toolSeconds,
		stall_seconds: definition.limits?.stallSeconds,
		prompt_mode: definition.promptMode,
		inherit_context: definition.inheritContext,
		isolated: definition.isolated,
		isolation: definition.isolation,
		run_in_background: definition.runInBackground,
		subagents: definition.subagents,
		enabled: definition.enabled,
		hidden: definition.hidden,
		locked: definition.locked,
	} satisfies Record<FieldName, unknown>);
}

type WithoutUndefined<T> = {
	[K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & { [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> };

/** A copy that has only the members that are not `undefined`. */
export function withoutUndefined<T extends object>(object: T): WithoutUndefined<T> {
	return Object.fromEntries(
		Object.entries(object).filter(([, value]) => value !== undefined),
	) as WithoutUndefined<T>;
}
