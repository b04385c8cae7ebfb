import type {
	AgentDefinition,
	Isolation,
	PromptMode,
	RunLimits,
	ThinkingLevel,
} from "@pi-subagents/core";
import { type CallValues, isInert, readCallParameter } from "./call-parameters.js";
import { quote } from "./diagnostic.js";
import {
	CALL_PARAMETERS,
	type CallParameter,
	type FieldName,
	type FieldValues,
	toFieldValues,
	withoutUndefined,
} from "./field-values.js";

/** Where a value came from. `file` is the definition, even if it is built in or was made by a program. */
export interface ValueSource {
	readonly kind: "call" | "override" | "file" | "setting" | "default";
	/** The agent file or settings file, if there is one. */
	readonly file?: string;
}

/** A value, and where it came from. */
export interface Decision<T> {
	readonly value: T;
	readonly source: ValueSource;
}

/** Everything that is decided before an agent starts, by the names that the values have in an agent file. */
export interface Invocation {
	/** In order of preference; never empty. Default: `inherit`. */
	readonly model: Decision<readonly string[]>;
	/** `undefined`: the parent's. */
	readonly thinking: Decision<ThinkingLevel | undefined>;
	readonly max_turns: Decision<number | undefined>;
	readonly grace_turns: Decision<number | undefined>;
	readonly max_seconds: Decision<number | undefined>;
	readonly max_tokens: Decision<number | undefined>;
	readonly max_cost: Decision<number | undefined>;
	readonly tool_seconds: Decision<number | undefined>;
	readonly stall_seconds: Decision<number | undefined>;
	readonly run_in_background: Decision<boolean>;
	readonly inherit_context: Decision<boolean>;
	readonly isolated: Decision<boolean>;
	readonly isolation: Decision<Isolation>;
	/** As the call gave it. `undefined`: the parent's. */
	readonly cwd: Decision<string | undefined>;
	readonly prompt_mode: Decision<PromptMode>;
	/** `undefined`: all tools. */
	readonly tools: Decision<readonly string[] | undefined>;
	readonly disallowed_tools: Decision<readonly string[]>;
	/** `undefined`: the parent's. */
	readonly extensions: Decision<readonly string[] | undefined>;
	readonly exclude_extensions: Decision<readonly string[]>;
	/** `undefined`: the host's. */
	readonly skills: Decision<readonly string[] | undefined>;
	readonly subagents: Decision<readonly string[]>;
}

/** A call parameter that had no effect. */
export interface IgnoredParameter {
	readonly name: CallParameter;
	/** A sentence for the caller. */
	readonly reason: string;
}

/** What {@link resolveInvocation} decides from. */
export interface InvocationRequest {
	readonly definition: AgentDefinition;
	/** The fields that settings decided, as a {@link RegistryEntry} has them. */
	readonly overridden?: Readonly<Partial<Record<FieldName, string>>>;
	/** The parameters of the call by their names, of any type, for models write what they like; others are not looked at. */
	readonly call?: Readonly<Record<string, unknown>>;
	/** What holds for every agent that does not say otherwise. */
	readonly settings?: FieldValues;
	/** The file that the settings came from, or the file of each, for the sources. */
	readonly settingsFile?: string | Readonly<Partial<Record<FieldName, string>>>;
}

/** One immutable invocation, or why there can be none. */
export type InvocationResolution =
	| {
			readonly ok: true;
			readonly invocation: Invocation;
			/** To be named in the result. */
			readonly ignored: readonly IgnoredParameter[];
	  }
	/** Sentences for the caller. */
	| { readonly ok: false; readonly message: string };

/**
 * Decides every value of one invocation: the call beats overrides from settings, these beat the definition, that beats
 * settings for all agents, and those beat the defaults. A call parameter is ignored, and named, if the definition locks it,
 * or if it would widen what the definition allows (`isolated: false`). Inert values of a call (`""`, `null`, `0`, `[]`,
 * `"none"`) count as absent; `false` is a choice. A parameter that cannot be read is refused, and so is a disabled agent.
 */
export function resolveInvocation(request: InvocationRequest): InvocationResolution {
	const { definition, overridden = {}, settings = {} } = request;
	if (definition.enabled === false) {
		return { ok: false, message: `The agent ${quote(definition.name)} is disabled.` };
	}
	const call = readCall(request.call ?? {});
	if (typeof call === "string") return { ok: false, message: call };

	const own = toFieldValues(definition);
	const ignored: IgnoredParameter[] = [];
	const asked = <K extends CallParameter>(
		name: K,
		otherwise: unknown,
	): CallValues[K] | undefined => {
		const value = call[name];
		const reason = refuse(name, definition, value);
		if (value === undefined || reason === undefined) return value;
		if (!isEqual(value, otherwise)) ignored.push({ name, reason });
		return undefined;
	};
	const settled = <K extends FieldName, D>(
		name: K,
		fallback: D,
	): Decision<NonNullable<FieldValues[K]> | D> => {
		const value = own[name];
		const override = overridden[name];
		if (value !== undefined && value !== null) {
			const source =
				override === undefined ? from("file", definition.source.file) : from("override", override);
			return { value, source };
		}
		const common = settings[name];
		const { settingsFile } = request;
		const place = typeof settingsFile === "string" ? settingsFile : settingsFile?.[name];
		return common !== undefined && common !== null
			? { value: common, source: from("setting", place) }
			: { value: fallback, source: { kind: "default" } };
	};
	const decide = <K extends Exclude<CallParameter, "cwd">, D>(
		name: K,
		fallback: D,
	): Decision<NonNullable<FieldValues[K]> | D> => {
		const otherwise = settled(name, fallback);
		const value = asked(name, otherwise.value);
		return value !== undefined && value !== null ? { value, source: { kind: "call" } } : otherwise;
	};
	const cwd = asked("cwd", undefined);
	const isolation: Invocation["isolation"] = decide("isolation", "none");
	// It may be meant, and the caller would not see why it is not so.
	if (isolation.value === "worktree" && isNone(request.call?.isolation)) {
		ignored.push({ name: "isolation", reason: noneIsNothing(isolation.source) });
	}
	const invocation: Invocation = {
		model: decide("model", ["inherit"]),
		thinking: decide("thinking", undefined),
		max_turns: decide("max_turns", undefined),
		grace_turns: settled("grace_turns", undefined),
		max_seconds: settled("max_seconds", undefined),
		max_tokens: settled("max_tokens", undefined),
		max_cost: settled("max_cost", undefined),
		tool_seconds: settled("tool_seconds", undefined),
		stall_seconds: settled("stall_seconds", undefined),
		run_in_background: decide("run_in_background", false),
		inherit_context: decide("inherit_context", false),
		isolated: decide("isolated", false),
		isolation,
		cwd: { value: cwd, source: { kind: cwd === undefined ? "default" : "call" } },
		prompt_mode: settled("prompt_mode", "append"),
		tools: settled("tools", undefined),
		disallowed_tools: settled("disallowed_tools", []),
		extensions: settled("extensions", undefined),
		exclude_extensions: settled("exclude_extensions", []),
		skills: settled("skills", undefined),
		subagents: settled("subagents", []),
	};
	return { ok: true, invocation, ignored };
}

/** The limits of an invocation, as a run wants them. */
export function limitsOf(invocation: Invocation): RunLimits {
	return withoutUndefined({
		maxTurns: invocation.max_turns.value,
		graceTurns: invocation.grace_turns.value,
		maxSeconds: invocation.max_seconds.value,
		maxTokens: invocation.max_tokens.value,
		maxCost: invocation.max_cost.value,
		toolSeconds: invocation.tool_seconds.value,
		stallSeconds: invocation.stall_seconds.value,
	});
}

function readCall(given: Readonly<Record<string, unknown>>): CallValues | string {
	const reads = CALL_PARAMETERS.filter((name) => !isInert(given[name])).map((name) =>
		readCallParameter(name, given[name]),
	);
	const problems = reads.filter((read) => typeof read === "string");
	if (problems.length > 0) return problems.join(" ");
	const values: CallValues = {};
	for (const read of reads) if (typeof read !== "string") Object.assign(values, read);
	return values;
}

/** Why a parameter of a call cannot have an effect, if it cannot. */
function refuse(
	name: CallParameter,
	{ locked = [], isolated }: AgentDefinition,
	value: unknown,
): string | undefined {
	if (locked.includes(name)) return `\`${name}\` was ignored: the agent's definition locks it.`;
	return name === "isolated" && value === false && isolated === true
		? "`isolated` was ignored: the agent's definition isolates it, and a call can only narrow."
		: undefined;
}

function isNone(value: unknown): boolean {
	return typeof value === "string" && value.trim().toLowerCase() === "none";
}

function noneIsNothing({ kind, file }: ValueSource): string {
	const says = kind === "file" ? "its definition says" : `${file ?? "a setting"} says`;
	return `\`isolation: "none"\` in a call counts as not given: the agent works in a worktree, as ${says}.`;
}

function from(kind: ValueSource["kind"], file: string | undefined): ValueSource {
	return file === undefined ? { kind } : { kind, file };
}

function isEqual(a: unknown, b: unknown): boolean {
	return JSON.stringify(a) === JSON.stringify(b);
}
