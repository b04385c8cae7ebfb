import { type ChatMessage, isSystem, type ModelRequest, textOf } from "./request.js";
import type { ModelStep, ScriptedStep } from "./step.js";

/** A script as a prompt names it. */
export type ScriptReference =
	| { readonly kind: "inline"; readonly key: string; readonly steps: readonly ModelStep[] }
	| { readonly kind: "named"; readonly key: string; readonly name: string }
	| { readonly kind: "broken"; readonly key: string; readonly problem: string };

/** Where a conversation is in its script. */
export interface ScriptPosition {
	readonly reference: ScriptReference;
	/** The assistant messages since the message with the script. */
	readonly answers: number;
	/** Tells conversations apart, for counting what leaves no assistant message behind. */
	readonly conversation: string;
}

/**
 * The last script in a text: `@@[ ...steps as JSON... ]@@`, or `@@#name#` for one that is registered. A script inside
 * the JSON of another one belongs to that.
 */
function findScript(text: string): ScriptReference | undefined {
	let last: ScriptReference | undefined;
	for (let at = text.indexOf("@@"); at !== -1; ) {
		const found = scriptAt(text, at);
		if (found) last = found.reference;
		at = text.indexOf("@@", found ? found.end : at + 1);
	}
	return last;
}

/**
 * The script that a request is at. Only user messages count, and of those the last one with a script; messages without
 * one, such as steering, leave the script as it is.
 */
export function scriptPosition(request: ModelRequest): ScriptPosition | undefined {
	const messages = request.messages.filter((message) => !isSystem(message));
	for (let index = messages.length - 1; index >= 0; index--) {
		const reference = scriptOf(messages[index]);
		if (!reference) continue;
		const answers = messages.slice(index).filter((message) => message.role === "assistant").length;
		// The same script may have been given before in this conversation; then it starts again.
		const times = messages
			.slice(0, index + 1)
			.filter((message) => scriptOf(message)?.key === reference.key).length;
		const start = request.session ?? `${textOf(messages[0])} ${textOf(messages[index])}`;
		return { reference, answers, conversation: JSON.stringify([reference.key, times, start]) };
	}
	return undefined;
}

function scriptOf(message: ChatMessage | undefined): ScriptReference | undefined {
	return message?.role === "user" ? findScript(textOf(message)) : undefined;
}

interface Found {
	readonly reference: ScriptReference;
	readonly end: number;
}

const NAME = /@@#([^#\n]+)#/y;

function scriptAt(text: string, at: number): Found | undefined {
	NAME.lastIndex = at;
	const name = NAME.exec(text)?.[1];
	if (name !== undefined) {
		// Written either `@@#name#` or `@@#name#@@`.
		const short = at + name.length + 4;
		const end =
			text.startsWith("@@", short) && !/^@@[#[]/.test(text.slice(short)) ? short + 2 : short;
		return { reference: { kind: "named", key: `#${name}`, name }, end };
	}
	return text.startsWith("@@[", at) ? inlineAt(text, at) : undefined;
}

/** The steps may contain the closing mark in a text of theirs, so the first one that makes the JSON whole counts. */
function inlineAt(text: string, at: number): Found | undefined {
	let broken: Found | undefined;
	for (let close = text.indexOf("]@@", at); close !== -1; close = text.indexOf("]@@", close + 1)) {
		const key = text.slice(at + 2, close + 1);
		const end = close + 3;
		const steps = parseSteps(key);
		if (typeof steps !== "string") return { reference: { kind: "inline", key, steps }, end };
		broken ??= { reference: { kind: "broken", key, problem: steps }, end };
	}
	return broken;
}

function parseSteps(json: string): readonly ModelStep[] | string {
	try {
		const steps: unknown = JSON.parse(json);
		if (!Array.isArray(steps)) return "it is not a list";
		return stepProblem(steps) ?? steps;
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	}
}

const MEMBERS: ReadonlySet<string> = new Set<keyof ModelStep>([
	"text",
	"think",
	"tools",
	"slow",
	"usage",
	"finish",
	"error",
	"drop",
	"hang",
	"hold",
]);

/** A misspelt member would be an answer that silently lacks something. */
function stepProblem(steps: readonly unknown[]): string | undefined {
	for (const [index, step] of steps.entries()) {
		if (typeof step !== "object" || step === null) return `step ${index} is not an object`;
		const unknown = Object.keys(step).find((key) => !MEMBERS.has(key));
		if (unknown !== undefined) return `step ${index} has an unknown member "${unknown}"`;
	}
	return undefined;
}

/** The steps that a reference stands for, or why there are none, in a sentence. */
export function resolveScript(
	reference: ScriptReference,
	registered: ReadonlyMap<string, readonly ScriptedStep[]>,
): readonly ScriptedStep[] | string {
	switch (reference.kind) {
		case "inline":
			return reference.steps;
		case "named":
			return (
				registered.get(reference.name) ??
				`No script is registered as "${reference.name}"; call server.script() first.`
			);
		case "broken":
			return `The script in the prompt cannot be read: ${reference.problem}.`;
	}
}
