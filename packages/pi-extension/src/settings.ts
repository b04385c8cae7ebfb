import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { RunLimits } from "@pi-subagents/core";

/** What the user can set, with every value in force. */
export interface Settings {
	/** Background runs at once, and foreground runs at once for each parent. */
	readonly maxConcurrent: number;
	/** In force where neither the call nor the agent file says otherwise; 0 means no limit. */
	readonly limits: Required<RunLimits>;
	/** Silence of an agent, in seconds, after which the person and the parent are told; 0 means never. */
	readonly stallWarnSeconds: number;
	/** How long one prompt may wait while its provider is asked too often, after the host has given up; 0 means not at all. */
	readonly rateLimitSeconds: number;
	/** Tokens that all agents of one session may use together; 0 means no limit. */
	readonly maxSessionTokens: number;
	/** US dollars that all agents of one session may cost together; 0 means no limit. */
	readonly maxSessionCost: number;
	/** How many levels of agents there may be below the main session; 1 means that agents start none. */
	readonly maxDepth: number;
	/** How many agents may be started below one agent of the main session; 0 means no limit. */
	readonly maxNested: number;
	/** How long other extensions may take to allow a start; 0 means no limit. */
	readonly vetoSeconds: number;
	/** Extensions that no agent loads, by name, path or package, with `*` for any characters. */
	readonly excludeExtensions: readonly string[];
	/** Extensions whose tools agents use through the main session instead of loading them (pi 1.x). */
	readonly sharedExtensions: readonly string[];
	/** Whether Escape also stops background agents. */
	readonly interruptBackground: boolean;
	/** How long print and JSON mode wait for background agents before they exit. */
	readonly drainSeconds: number;
	/** How `inherit_context` hands on the conversation: as a bounded text, or as the messages themselves. */
	readonly inheritedContext: "text" | "fork";
	/** Where agents work for which neither the call nor the agent file says it. */
	readonly isolation: "none" | "worktree";
	/** What a worktree begins with: `working-state`, `HEAD`, or a branch. */
	readonly worktreeBase: string;
	/** Files that git ignores and that a worktree shares with the checkout; relative to its root. */
	readonly worktreeLink: readonly string[];
	/** Files that git ignores and that are copied into a worktree; relative to the root of the checkout. */
	readonly worktreeCopy: readonly string[];
	/** What is shown above the editor. */
	readonly widget: "full" | "compact" | "off";
	/** Whether the host's status line counts the agents that are alive. */
	readonly statusLine: boolean;
	/** How the terminal tells that the last agent has ended. */
	readonly onEnd: "nothing" | "bell" | "title" | "both";
	/** The key that opens the agents; `off` for none. */
	readonly shortcut: string;
	/** What holds for agent files and settings of a project that pi did not ask about; only the user's file can say it. */
	readonly projectAgents: "ask" | "always" | "never";
	/** Fields of agents, by agent name, that replace those of their files; one layer for each settings file. */
	readonly agents: readonly AgentOverrides[];
	/** The files that decided keys; a key that is not there has its default. */
	readonly decidedBy: Readonly<Partial<Record<SettingKey, string>>>;
}

/** The `agents` of one settings file. */
export interface AgentOverrides {
	readonly file: string;
	readonly agents: Readonly<Record<string, unknown>>;
}

interface NumberSpec {
	readonly kind: "number";
	readonly fallback: number;
	readonly min: number;
	readonly whole: boolean;
	readonly help: string;
}
interface ListSpec {
	readonly kind: "list";
	readonly fallback: readonly string[];
	readonly help: string;
}
interface TextSpec {
	readonly kind: "text";
	readonly fallback: string;
	readonly help: string;
}
interface ChoiceSpec {
	readonly kind: "choice";
	readonly fallback: string | boolean;
	readonly choices: readonly (string | boolean)[];
	readonly help: string;
}

function count(fallback: number, min: number, help: string): NumberSpec {
	return { kind: "number", fallback, min, whole: true, help };
}
function amount(fallback: number, help: string): NumberSpec {
	return { kind: "number", fallback, min: 0, whole: false, help };
}
function list(help: string): ListSpec {
	return { kind: "list", fallback: [], help };
}
function text(fallback: string, help: string): TextSpec {
	return { kind: "text", fallback, help };
}
function choice<T extends string | boolean>(
	fallback: T,
	choices: readonly T[],
	help: string,
): ChoiceSpec {
	return { kind: "choice", fallback, choices, help };
}

/** Every key of the settings files but `agents`, with its default, its range and what it is for. */
export const SETTING_SPECS = {
	maxConcurrent: count(10, 1, "background agents at once"),
	maxTurns: count(0, 0, "turns before an agent is told to wrap up (0: no limit)"),
	graceTurns: count(5, 0, "further turns to wrap up in"),
	maxSeconds: amount(0, "seconds an agent may run (0: no limit)"),
	maxTokens: count(0, 0, "tokens an agent may use (0: no limit)"),
	maxCost: amount(0, "US dollars an agent may cost (0: no limit)"),
	toolSeconds: amount(0, "seconds one tool call may take (0: no limit)"),
	stallWarnSeconds: amount(300, "seconds without progress before you are told (0: never)"),
	stallSteerSeconds: amount(0, "seconds without progress before an agent is asked (0: never)"),
	stallSeconds: amount(0, "seconds without progress before an agent is cut off (0: no limit)"),
	rateLimitSeconds: amount(120, "seconds to wait for a provider that is asked too often (0: none)"),
	maxSessionTokens: count(0, 0, "tokens all agents of a session may use (0: no limit)"),
	maxSessionCost: amount(0, "US dollars all agents of a session may cost (0: no limit)"),
	maxDepth: count(2, 1, "levels of agents below the main session (1: agents start none)"),
	maxNested: count(20, 0, "agents started below one agent of the main session (0: no limit)"),
	interruptBackground: choice(false, [true, false], "Escape also stops background agents"),
	vetoSeconds: amount(120, "seconds that extensions may take to allow an agent (0: no limit)"),
	excludeExtensions: list("extensions that agents do not load, by name, path or package"),
	sharedExtensions: list("extensions whose tools agents use through the main session (pi 1.x)"),
	drainSeconds: amount(600, "seconds that print and JSON mode wait for background agents"),
	inheritedContext: choice("text", ["text", "fork"], "how agents inherit a conversation"),
	isolation: choice("none", ["none", "worktree"], "where agents work, unless said otherwise"),
	worktreeBase: text("working-state", "what a worktree begins with: that, HEAD, or a branch"),
	worktreeLink: list("ignored files that a worktree shares, such as node_modules"),
	worktreeCopy: list("ignored files that are copied into a worktree, such as .env"),
	widget: choice("full", ["full", "compact", "off"], "agents above the editor"),
	statusLine: choice(true, [true, false], "count running agents in the status line"),
	onEnd: choice(
		"nothing",
		["nothing", "bell", "title", "both"],
		"what the terminal does when the last agent has ended",
	),
	shortcut: text("alt+a", "key that opens the agents, after the next start (off: none)"),
	projectAgents: choice("ask", ["ask", "always", "never"], "agents that a project brings along"),
} as const satisfies Readonly<Record<string, NumberSpec | TextSpec | ChoiceSpec | ListSpec>>;

/** A key of the settings files. */
export type SettingKey = keyof typeof SETTING_SPECS;

/** Settings, and what was wrong with the files, one sentence each. */
export interface LoadedSettings {
	readonly settings: Settings;
	readonly problems: readonly string[];
}

/** The user's file. */
export function userSettingsFile(agentDir: string): string {
	return join(agentDir, "subagents.json");
}

/** The settings file that a project may bring along. */
export interface ProjectSettings {
	readonly file: string;
	/** Whether its text may count, given the user's settings. */
	accepts(text: string, userSettings: Settings): boolean;
}

/** The project's file. */
export function projectSettingsFile(cwd: string): string {
	return join(cwd, ".pi", "subagents.json");
}

/** Reads `<agent dir>/subagents.json` under `<project>/.pi/subagents.json`. A bad value falls back to the default and is named. */
export async function loadSettings(
	agentDir: string,
	project: ProjectSettings | undefined,
): Promise<LoadedSettings> {
	const problems: string[] = [];
	const user = await readLayer(userSettingsFile(agentDir), problems);
	if (project === undefined) return { settings: check([user], problems), problems };
	const userSettings = check([user], []);
	const { values, file } = await readLayer(project.file, problems, (text) =>
		project.accepts(text, userSettings),
	);
	const { projectAgents, ...own } = values;
	if (projectAgents !== undefined) {
		problems.push(
			`The setting projectAgents in ${file} is ignored: a project cannot say that its own agents count.`,
		);
	}
	return { settings: check([user, { file, values: own }], problems), problems };
}

/** The settings that are in force when there is no file. */
export function defaultSettings(): Settings {
	return check([], []);
}

function agentOverrides(file: string, agents: unknown, problems: string[]): AgentOverrides[] {
	if (agents === undefined) return [];
	if (isObject(agents)) return [{ file, agents }];
	problems.push(
		`The setting agents in ${file} is ignored: it must be an object with an agent's name for each key.`,
	);
	return [];
}

/** One settings file. */
interface Layer {
	readonly file: string;
	readonly values: Readonly<Record<string, unknown>>;
}

async function readLayer(
	file: string,
	problems: string[],
	accepts: (text: string) => boolean = () => true,
): Promise<Layer> {
	const nothing = { file, values: {} };
	let text: string;
	try {
		text = await readFile(file, "utf8");
	} catch (error) {
		if (!isMissing(error)) problems.push(`${file} could not be read: ${String(error)}.`);
		return nothing;
	}
	if (!accepts(text)) return nothing;
	try {
		const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
		if (isObject(value)) return { file, values: value };
		problems.push(`${file} is ignored: it must hold a JSON object.`);
	} catch (error) {
		problems.push(`${file} is ignored: ${error instanceof Error ? error.message : error}.`);
	}
	return nothing;
}

/** The settings of files in rising precedence. */
function check(layers: readonly Layer[], problems: string[]): Settings {
	const values: Readonly<Record<string, unknown>> = Object.assign(
		{},
		...layers.map((layer) => layer.values),
	);
	const agents = layers.flatMap((layer) =>
		agentOverrides(layer.file, layer.values.agents, problems),
	);
	for (const key of Object.keys(values)) {
		if (key !== "agents" && !isSettingKey(key)) problems.push(unknownKey(key));
	}
	const number = (key: SettingKey): number => checkNumber(key, values[key], problems);
	const oneOf = (key: SettingKey): unknown => checkChoice(key, values[key], problems);
	const names = (key: SettingKey): readonly string[] => checkList(key, values[key], problems);
	const widget = oneOf("widget");
	const onEnd = oneOf("onEnd");
	const projectAgents = oneOf("projectAgents");
	const settings = {
		maxConcurrent: number("maxConcurrent"),
		limits: {
			maxTurns: number("maxTurns"),
			graceTurns: number("graceTurns"),
			maxSeconds: number("maxSeconds"),
			maxTokens: number("maxTokens"),
			maxCost: number("maxCost"),
			toolSeconds: number("toolSeconds"),
			stallSteerSeconds: number("stallSteerSeconds"),
			stallSeconds: number("stallSeconds"),
		},
		stallWarnSeconds: number("stallWarnSeconds"),
		rateLimitSeconds: number("rateLimitSeconds"),
		maxSessionTokens: number("maxSessionTokens"),
		maxSessionCost: number("maxSessionCost"),
		maxDepth: number("maxDepth"),
		maxNested: number("maxNested"),
		interruptBackground: oneOf("interruptBackground") === true,
		vetoSeconds: number("vetoSeconds"),
		excludeExtensions: names("excludeExtensions"),
		sharedExtensions: names("sharedExtensions"),
		drainSeconds: number("drainSeconds"),
		inheritedContext: oneOf("inheritedContext") === "fork" ? "fork" : "text",
		isolation: oneOf("isolation") === "worktree" ? "worktree" : "none",
		worktreeBase: checkText("worktreeBase", values.worktreeBase, problems),
		worktreeLink: names("worktreeLink"),
		worktreeCopy: names("worktreeCopy"),
		widget: widget === "compact" || widget === "off" ? widget : "full",
		statusLine: oneOf("statusLine") === true,
		onEnd: onEnd === "bell" || onEnd === "title" || onEnd === "both" ? onEnd : "nothing",
		shortcut: checkText("shortcut", values.shortcut, problems),
		projectAgents: projectAgents === "always" || projectAgents === "never" ? projectAgents : "ask",
		agents,
	} as const;
	return { ...settings, decidedBy: deciders(layers, { ...settings, ...settings.limits }) };
}

/** For each key, the last file that has it with the value that is in force: a bad value decides nothing. */
function deciders(
	layers: readonly Layer[],
	inForce: Readonly<Record<string, unknown>>,
): Settings["decidedBy"] {
	const decidedBy: Partial<Record<SettingKey, string>> = {};
	for (const { file, values } of layers) {
		for (const [key, value] of Object.entries(values)) {
			if (isSettingKey(key) && JSON.stringify(value) === JSON.stringify(inForce[key])) {
				decidedBy[key] = file;
			}
		}
	}
	return decidedBy;
}

function isSettingKey(key: string): key is SettingKey {
	return Object.hasOwn(SETTING_SPECS, key);
}

function unknownKey(key: string): string {
	return `The setting ${key} is unknown; known are ${Object.keys(SETTING_SPECS).join(", ")} and agents.`;
}

function checkNumber(key: SettingKey, value: unknown, problems: string[]): number {
	const spec = SETTING_SPECS[key];
	if (spec.kind !== "number") throw new TypeError(`${key} is no number`);
	if (value === undefined) return spec.fallback;
	const fits =
		typeof value === "number" &&
		Number.isFinite(value) &&
		value >= spec.min &&
		(!spec.whole || Number.isInteger(value));
	if (fits) return value;
	const range = `a ${spec.whole ? "whole number" : "number"} of ${spec.min} or more`;
	problems.push(
		`The setting ${key} is ${JSON.stringify(value)}; it must be ${range}. ${spec.fallback} is used.`,
	);
	return spec.fallback;
}

function checkText(key: SettingKey, value: unknown, problems: string[]): string {
	const fallback = String(SETTING_SPECS[key].fallback);
	if (value === undefined) return fallback;
	if (typeof value === "string" && value.trim() !== "") return value.trim();
	problems.push(
		`The setting ${key} is ${JSON.stringify(value)}; it must be a text. ${fallback} is used.`,
	);
	return fallback;
}

function checkChoice(key: SettingKey, value: unknown, problems: string[]): unknown {
	const spec = SETTING_SPECS[key];
	if (spec.kind !== "choice") throw new TypeError(`${key} is no choice`);
	if (value === undefined || spec.choices.some((item) => item === value)) {
		return value ?? spec.fallback;
	}
	problems.push(
		`The setting ${key} is ${JSON.stringify(value)}; it must be ${spec.choices.join(" or ")}. ${spec.fallback} is used.`,
	);
	return spec.fallback;
}

function checkList(key: SettingKey, value: unknown, problems: string[]): readonly string[] {
	if (value === undefined) return [];
	if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
	problems.push(
		`The setting ${key} is ${JSON.stringify(value)}; it must be a list of names. None are used.`,
	);
	return [];
}

/** Reads what a person typed for a key; a string is a sentence that says what is wrong. */
export function parseSetting(key: SettingKey, text: string): { readonly value: unknown } | string {
	const spec = SETTING_SPECS[key];
	const trimmed = text.trim();
	const problems: string[] = [];
	if (spec.kind === "list") {
		const names = trimmed.split(",").map((name) => name.trim());
		return { value: names.filter((name) => name !== "") };
	}
	const checked = checkTyped(key, trimmed, problems);
	const [problem] = problems;
	// Its last sentence says what is used instead, which is true of a file only.
	return problem === undefined
		? { value: checked }
		: problem.slice(0, problem.lastIndexOf(". ") + 1);
}

function checkTyped(key: SettingKey, text: string, problems: string[]): unknown {
	const spec = SETTING_SPECS[key];
	if (spec.kind === "text") return checkText(key, text, problems);
	if (spec.kind === "choice") {
		return checkChoice(key, spec.choices.find((item) => String(item) === text) ?? text, problems);
	}
	const number = text === "" ? Number.NaN : Number(text);
	// The text itself where it is no number, so that the problem names it.
	return checkNumber(key, Number.isNaN(number) ? text : number, problems);
}

/** Changes one key of a settings file and keeps all others, known or not. Rejects if the file is no JSON object. */
export function saveSetting(file: string, key: SettingKey, value: unknown): Promise<void> {
	return changeFile(file, (values) => ({ ...values, [key]: value }));
}

/**
 * Disables an agent in a settings file, or takes out what disables it there; its other overrides stay. Rejects if the
 * file is no JSON object.
 */
export function saveAgentEnabled(file: string, name: string, enabled: boolean): Promise<void> {
	return changeFile(file, (values) => {
		const agents: Record<string, unknown> = isObject(values.agents) ? { ...values.agents } : {};
		const key = Object.keys(agents).find((other) => other.toLowerCase() === name.toLowerCase());
		const override = key === undefined ? undefined : agents[key];
		const { enabled: _, ...fields } = isObject(override) ? override : {};
		if (key !== undefined) delete agents[key];
		if (!enabled) agents[key ?? name] = isObject(override) ? { ...fields, enabled: false } : false;
		else if (Object.keys(fields).length > 0) agents[key ?? name] = fields;
		return { ...values, agents };
	});
}

async function changeFile(
	file: string,
	change: (values: Readonly<Record<string, unknown>>) => object,
): Promise<void> {
	const problems: string[] = [];
	const { values } = await readLayer(file, problems);
	if (problems.length > 0) throw new Error(problems.join(" "));
	await mkdir(dirname(file), { recursive: true });
	const temporary = `${file}.${process.pid}.tmp`;
	await writeFile(temporary, `${JSON.stringify(change(values), undefined, "\t")}\n`);
	await rename(temporary, file);
}

function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isMissing(error: unknown): boolean {
	return (
		error instanceof Error &&
		"code" in error &&
		(error.code === "ENOENT" || error.code === "ENOTDIR")
	);
}
