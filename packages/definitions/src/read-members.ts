import type { Finding } from "./diagnostic.js";
import type { FieldInput } from "./field-input.js";
import type { FieldValues } from "./field-values.js";
import { knownKey } from "./fields.js";
import { fromJson } from "./json-value.js";
import { judgeUnknownKeys } from "./judge-unknown-keys.js";
import { type ReadValues, readValues } from "./read-values.js";

/** Reads fields that are members of an object: an override from settings, or a definition that a program made. */
export function readMembers(
	members: readonly (readonly [string, unknown])[],
	base: FieldValues = {},
): ReadValues {
	const given = members.filter(([, value]) => value !== undefined);
	const inputs = given.flatMap(([key, value]): readonly FieldInput[] => {
		const known = knownKey(key);
		return known ? [{ ...known, key, value: fromJson(value) }] : [];
	});
	const read = readValues(inputs);
	const findings: readonly Finding[] = [
		...judgeUnknownKeys(
			given.map(([key, value]) => ({ key, text: textOf(value) })),
			{ ...base, ...read.values },
		),
		...read.findings,
	];
	return { ...read, findings };
}

/** What a program hands over may be of any kind, and not every object can be turned into a text. */
function textOf(value: unknown): string {
	const read = fromJson(value);
	return read.kind === "scalar" ? read.text : "";
}
