import { THINKING_LEVELS } from "@pi-subagents/core";
import { checkAgentName } from "./agent-name.js";
import { listNames, quote, quoteAll } from "./diagnostic.js";
import { type FieldInput, type Report, TOO_UNSURE } from "./field-input.js";
import { CALL_PARAMETERS, type FieldName, type FieldValues } from "./field-values.js";
import { FIELD_NAMES, fieldSpec, knownKey } from "./fields.js";
import { nearestNames } from "./nearest-names.js";
import { readTools } from "./read-tools.js";
import {
	isEmpty,
	readBoolean,
	readKeyword,
	readList,
	readNumber,
	readText,
	readThinking,
} from "./value-readers.js";
import type { FieldValue } from "./yaml-value.js";

type AnyValue = FieldValues[FieldName];

/** The value of one field, or `undefined` if nothing could be made of it, which is reported. */
export function readValue(input: FieldInput, report: Report): AnyValue {
	const { name, value } = input;
	const spec = fieldSpec(name);
	const unusable = (fix: string, reason = describe(value)): undefined => {
		const severity = spec.rights ? "error" : "warning";
		const why = spec.rights ? TOO_UNSURE : "it is ignored";
		report(severity, input, `\`${input.key}\` ${reason}`, why, fix);
	};
	switch (spec.type) {
		case "name":
			return readName(input, report);
		case "text": {
			const text = readText(value);
			return text ?? unusable("Write it as text in quotes");
		}
		case "color": {
			const text = readText(value) ?? "";
			if (/^(?:[a-z]{3,20}|#[0-9a-f]{3}|#[0-9a-f]{6})$/i.test(text)) return text;
			return unusable('Write a colour such as `cyan` or `"#ff8800"`');
		}
		case "tools": {
			const read = readTools(value, name === "tools" ? "allow" : "deny");
			for (const { severity, what, why, fix } of read.findings) {
				report(severity, input, what, why, fix);
			}
			return read.tools;
		}
		case "names":
			return readNames(input, report) ?? unusable("Write names, separated by commas, or `none`");
		case "agents":
			return readAgents(input, report);
		case "models": {
			const entries = readList(value)?.map((entry) => entry.slice(0, 200));
			if (!entries) return unusable("Write a model, or several in order of preference");
			return entries.length === 0 ? undefined : [...new Set(entries)];
		}
		case "thinking":
			return readThinking(value) ?? unusable(`Write one of ${listNames(THINKING_LEVELS, "or")}`);
		case "prompt_mode": {
			const mode = readText(value)?.toLowerCase();
			if (mode === "append" || mode === "replace") return mode;
			return unusable("Write `append` or `replace`");
		}
		case "isolation": {
			const isolation = readText(value)?.toLowerCase() ?? "?";
			if (["none", "off", "false", "no"].includes(isolation)) return "none";
			return isolation === "worktree" ? isolation : unusable("Write `none` or `worktree`");
		}
		case "locks":
			return readLocks(value, unusable);
		case "boolean": {
			const yes = readBoolean(value);
			if (yes === undefined) return unusable("Write `true` or `false`");
			return input.negated ? !yes : yes;
		}
		case "integer":
		case "number": {
			const integer = spec.type === "integer";
			const number = readNumber(value, integer);
			const kind = integer ? "whole number" : "number";
			return number ?? unusable(`Write a ${kind}, or 0 for no limit`);
		}
	}
}

type Unusable = (fix: string, reason?: string) => undefined;

function describe(value: FieldValue): string {
	if (value.kind === "other") return "is no text and no list";
	if (isEmpty(value)) return "has no value";
	return `is ${quote(value.kind === "list" ? value.items.join(", ") : value.text)}`;
}

function readName(input: FieldInput, report: Report): string | undefined {
	const text = readText(input.value);
	const problem = text === undefined ? "it is no text" : checkAgentName(text);
	if (problem === undefined) return text;
	const what =
		text === undefined ? "The name cannot be used" : `The name ${quote(text)} cannot be used`;
	report("error", input, what, problem, "Choose a short name of letters, digits and hyphens");
	return undefined;
}

function readNames(input: FieldInput, report: Report): readonly string[] | undefined {
	const { name, value } = input;
	const entries = isEmpty(value) ? [] : readList(value);
	if (!entries) return undefined;
	if (isEmpty(value)) {
		const what = `\`${name}\` has no value`;
		report("warning", input, what, "it is read as `none`", "Write `none`, or leave it out");
	}
	const keyword = readKeyword(entries);
	if (keyword !== undefined) return keyword === "all" ? ["*"] : [];
	if (name !== "skills") return entries;
	// Skills are looked up in folders by their names.
	const good = entries.filter(
		(entry) => /^[\p{L}\p{N}*][\p{L}\p{N}_.:*-]{0,127}$/u.test(entry) && !entry.includes(".."),
	);
	if (good.length < entries.length) {
		const bad = entries.filter((entry) => !good.includes(entry));
		const what = `\`skills\` names ${quoteAll(bad)}`;
		const why = "that cannot be a skill's name and is left out";
		report("warning", input, what, why, "Write names of skills, separated by commas");
	}
	return good;
}

function readAgents(input: FieldInput, report: Report): readonly string[] {
	const { value } = input;
	const entries = isEmpty(value) ? [] : readList(value);
	const keyword = entries && readKeyword(entries);
	if (keyword !== undefined) return keyword === "all" ? ["*"] : [];
	const good = entries?.filter((entry) => checkAgentName(entry) === undefined) ?? [];
	const bad = entries?.filter((entry) => !good.includes(entry));
	if (bad === undefined || bad.length > 0) {
		const what = `\`subagents\` ${bad ? `names ${quoteAll(bad)}` : describe(value)}`;
		const why = "that is no name of an agent and grants nothing";
		report("warning", input, what, why, "Write names of agents, separated by commas");
	}
	return good;
}

function readLocks(value: FieldValue, unusable: Unusable): readonly string[] | undefined {
	const entries = isEmpty(value) ? [] : readList(value);
	if (!entries) return unusable("Write `true`, or the call parameters to lock");
	const keyword = readKeyword(entries);
	if (keyword !== undefined) return keyword === "all" ? [...CALL_PARAMETERS] : [];
	const locked = entries.map((entry) =>
		entry.toLowerCase() === "cwd" ? "cwd" : knownKey(entry)?.name,
	);
	if (locked.every((entry) => entry !== undefined)) return [...new Set(locked)];
	const wrong = entries.filter((_, index) => locked[index] === undefined);
	const names = [...CALL_PARAMETERS, ...FIELD_NAMES];
	const near = wrong.slice(0, 3).flatMap((entry) => nearestNames(entry, names).slice(0, 1));
	return unusable(
		near.length > 0
			? `Write ${listNames(near)} if that is what you mean`
			: `The parameters are ${listNames(CALL_PARAMETERS)}`,
		`names ${quoteAll(wrong)}, which is no parameter`,
	);
}
