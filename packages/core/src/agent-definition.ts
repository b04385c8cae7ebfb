/**
 * What kind of agent it is: its prompt, its rights, its model and its limits. Read from an agent file, built in, or
 * registered by a program. A field that is absent was not decided by the definition.
 */
export interface AgentDefinition {
	/** Unique among the definitions in force; compared without regard to case. */
	readonly name: string;
	/** When to use it, for the parent's model. */
	readonly description: string;
	/** The name for people; absent: the name itself. */
	readonly displayName?: string;
	/** A colour name or `#rrggbb`, for the UI. */
	readonly color?: string;
	/** The agent's instructions: the body of its file. */
	readonly prompt: string;
	/**
	 * `append`: the instructions follow the host's own prompt. `replace`: they stand alone.
	 * @defaultValue `append`
	 */
	readonly promptMode?: PromptMode;
	/** The tools that the agent may have, as names and `*` patterns; an empty list means none. Absent: all. */
	readonly tools?: readonly string[];
	/** Tools that it may not have, as names and `*` patterns; they win over `tools`. */
	readonly disallowedTools?: readonly string[];
	/** The extensions to load: names or patterns; an empty list means none. Absent: the parent's. */
	readonly extensions?: readonly string[];
	/** Extensions not to load, as names or patterns; they win over `extensions`. */
	readonly excludeExtensions?: readonly string[];
	/** Skills to offer; an empty list means none. Absent: the host's. */
	readonly skills?: readonly string[];
	/** Models in order of preference: `provider/id`, an id, an alias, or `inherit`. */
	readonly model?: readonly string[];
	/** How much its model thinks. Absent: as much as the caller's. */
	readonly thinking?: ThinkingLevel;
	/** What bounds each of its runs. */
	readonly limits?: RunLimits;
	/** Whether it is given the conversation of its caller. */
	readonly inheritContext?: boolean;
	/** No extension tools. */
	readonly isolated?: boolean;
	/** Where its changes go. */
	readonly isolation?: Isolation;
	/** Whether its caller goes on while it works. */
	readonly runInBackground?: boolean;
	/** Agents that it may start itself; `["*"]` means any. Absent or empty: none. */
	readonly subagents?: readonly string[];
	/**
	 * Whether it can be started at all.
	 * @defaultValue `true`
	 */
	readonly enabled?: boolean;
	/** Not advertised to the model, but it can be started by name. */
	readonly hidden?: boolean;
	/** Call parameters, by their names in an agent file, that the caller cannot change. */
	readonly locked?: readonly string[];
	/** Where the definition came from. */
	readonly source: DefinitionSource;
}

/** Where a definition came from, in rising precedence. */
export interface DefinitionSource {
	readonly kind: "builtin" | "user" | "package" | "project" | "runtime";
	/** The absolute path of the agent file, if there is one. */
	readonly file?: string;
}

/** How an agent's instructions and the host's prompt go together. */
export type PromptMode = "append" | "replace";

/** Where an agent's changes go: the caller's own directory, or a git worktree of its own. */
export type Isolation = "none" | "worktree";

/** How much a model thinks; 0.73.1 ends at `xhigh`. */
export type ThinkingLevel = "off" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

/** All thinking levels, weakest first. */
export const THINKING_LEVELS: readonly ThinkingLevel[] = Object.freeze([
	"off",
	"minimal",
	"low",
	"medium",
	"high",
	"xhigh",
	"max",
]);

/** What bounds one run. Absent, or 0, means no limit. */
export interface RunLimits {
	/** Turns after which the agent is told to wrap up. */
	readonly maxTurns?: number;
	/**
	 * Further turns that it may take to wrap up before it is cut off.
	 * @defaultValue 5
	 */
	readonly graceTurns?: number;
	/** Seconds of this run, its preparation included. */
	readonly maxSeconds?: number;
	/** Tokens of this run: input + output + cacheWrite. */
	readonly maxTokens?: number;
	/** US dollars of this run. */
	readonly maxCost?: number;
	/** Seconds that one tool call may take. */
	readonly toolSeconds?: number;
	/** Seconds of silence after which the agent is asked to go on or to end. See {@link stallSeconds} for what is silence. */
	readonly stallSteerSeconds?: number;
	/**
	 * Seconds of silence after which the run counts as stalled and is cut off. Silent is a run that sends no event although
	 * it is its model's turn: not while a tool runs, a person is asked, the conversation is compacted, or a retry waits.
	 */
	readonly stallSeconds?: number;
}
