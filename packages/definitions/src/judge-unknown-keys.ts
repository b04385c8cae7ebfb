import { type Finding, listNames } from "./diagnostic.js";
import { TOO_UNSURE } from "./field-input.js";
import type { FieldValues } from "./field-values.js";
import { FIELD_NAMES, knownKey } from "./fields.js";
import { foreignField, misspeltRight } from "./foreign-fields.js";
import { nearestNames } from "./nearest-names.js";

/** A key that may or may not be one of ours. */
export interface WrittenKey {
	readonly key: string;
	readonly line?: number;
	/** The first line of its value. */
	readonly text: string;
}

/**
 * What has to be said about keys that are no fields of ours: one finding for all that only inform, one for all that have no
 * effect, and an error for each that was to take rights away and does not.
 */
export function judgeUnknownKeys(
	written: readonly WrittenKey[],
	values: FieldValues,
): readonly Finding[] {
	const unknown = written.filter(({ key }) => knownKey(key) === undefined);
	const findings: Finding[] = [];
	const told: WrittenKey[] = [];
	for (const entry of unknown) {
		const error = lostRight(entry, values);
		if (error) findings.push(error);
		else told.push(entry);
	}
	const informing = told.filter(({ key }) => {
		const foreign = foreignField(key);
		return foreign !== undefined && foreign.instead === undefined;
	});
	const others = told.filter((entry) => !informing.includes(entry));
	return [...findings, ...tell("info", informing), ...tell("warning", others)];
}

function lostRight({ key, line, text }: WrittenKey, values: FieldValues): Finding | undefined {
	const place = { severity: "error" as const, ...(line !== undefined && { line }) };
	if (key === "<<") {
		const fix = "Write the fields out";
		return { ...place, what: "The header merges another mapping with `<<`", why: TOO_UNSURE, fix };
	}
	const meant = misspeltRight(key);
	if (meant !== undefined && values[meant] === undefined) {
		const what = `There is no field \`${shorten(key)}\``;
		const fix = `Write \`${meant}\` if that is what you mean, or leave it out`;
		return {
			...place,
			field: meant,
			what,
			why: `it looks like \`${meant}\`, and ${TOO_UNSURE}`,
			fix,
		};
	}
	const foreign = foreignField(key);
	if (foreign?.restricts(text) && values.tools === undefined) {
		const what = `The field \`${key}\` restricts the agent elsewhere, but not here`;
		const why = "without `tools` the agent would have every tool";
		return { ...place, what, why, fix: capitalise(foreign.instead ?? "Write `tools`") };
	}
	return undefined;
}

function tell(severity: "info" | "warning", entries: readonly WrittenKey[]): readonly Finding[] {
	const [first] = entries;
	if (first === undefined) return [];
	const keys = [...new Set(entries.map(({ key }) => shorten(key)))];
	const advice = entries.slice(0, 12).flatMap(({ key }) => {
		const instead = foreignField(key)?.instead;
		if (instead !== undefined) return [`\`${key}\`: ${instead}`];
		const near = foreignField(key) ? undefined : nearestNames(key, FIELD_NAMES)[0];
		return near === undefined ? [] : [`\`${shorten(key)}\`: did you mean \`${near}\`?`];
	});
	return [
		{
			severity,
			...(first.line !== undefined && { line: first.line }),
			what:
				keys.length === 1
					? `The field ${listNames(keys)} has no effect`
					: `The fields ${listNames(keys)} have no effect`,
			why: "an agent has no such field here",
			fix: advice.length > 0 ? capitalise(advice.join("; ")) : "Leave out what you do not need",
		},
	];
}

function capitalise(text: string): string {
	return text.charAt(0).toUpperCase() + text.slice(1);
}

function shorten(key: string): string {
	return key.length > 40 ? `${key.slice(0, 39)}…` : key;
}
