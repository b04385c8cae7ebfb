import { THINKING_LEVELS } from "@pi-subagents/core";
import { listNames, quote } from "./diagnostic.js";
import type { CallParameter, FieldValues } from "./field-values.js";
import { fromJson } from "./json-value.js";
import { readBoolean, readList, readNumber, readText } from "./value-readers.js";

/** What a call asks for, by the names of its parameters. */
export type CallValues = Pick<FieldValues, Exclude<CallParameter, "cwd">> & {
	readonly cwd?: string;
};

/** Whether a value says nothing. Models fill in every parameter that they see, so each has values that mean "not given". */
export function isInert(value: unknown): boolean {
	if (value === undefined || value === null || value === 0) return true;
	if (Array.isArray(value)) return value.every(isInert);
	return (
		typeof value === "string" && ["", "none", "null", "0"].includes(value.trim().toLowerCase())
	);
}

/** The value of a parameter that is not inert, or a sentence about why it cannot be read. */
export function readCallParameter(name: CallParameter, given: unknown): CallValues | string {
	const value = fromJson(given);
	const shown = value.kind === "scalar" ? quote(value.text) : "a list or object";
	const refuse = (allowed: string): string =>
		`The parameter \`${name}\` cannot be ${shown}: it is ${allowed}.`;
	switch (name) {
		case "model": {
			const model = readModel(given) ?? readList(value);
			return model ? { model } : refuse("a model, or several in order of preference");
		}
		case "thinking": {
			const text = readText(value)?.toLowerCase();
			const thinking = THINKING_LEVELS.find((level) => level === text);
			return thinking ? { thinking } : refuse(`one of ${listNames(THINKING_LEVELS, "or")}`);
		}
		case "max_turns": {
			const turns = readNumber(value, true);
			return turns ? { max_turns: turns } : refuse("a whole number, or left out");
		}
		case "run_in_background":
		case "inherit_context":
		case "isolated": {
			const yes = readBoolean(value);
			return yes === undefined ? refuse("`true` or `false`") : { [name]: yes };
		}
		case "isolation":
			return readText(value)?.toLowerCase() === "worktree"
				? { isolation: "worktree" }
				: refuse("`none` or `worktree`");
		case "cwd": {
			const cwd = typeof given === "string" && given.length <= 4096 && !given.includes("\0");
			return cwd ? { cwd: given.trim() } : refuse("a directory");
		}
	}
}

/** A program may hand over the host's model object instead of its name. */
function readModel(given: unknown): readonly string[] | undefined {
	if (typeof given !== "object" || given === null) return undefined;
	if (!("provider" in given && "id" in given)) return undefined;
	const { provider, id } = given;
	return typeof provider === "string" && typeof id === "string" ? [`${provider}/${id}`] : undefined;
}
