import type { Severity } from "./diagnostic.js";
import type { FieldName } from "./field-values.js";
import type { FieldValue } from "./yaml-value.js";

/** A field as it was found. */
export interface FieldInput {
	readonly name: FieldName;
	/** The key as it is written. */
	readonly key: string;
	/** The key says the opposite of the field. */
	readonly negated: boolean;
	readonly value: FieldValue;
	readonly line?: number;
}

/** Takes what is to be said about a field. */
export type Report = (
	severity: Severity,
	input: FieldInput,
	what: string,
	why: string,
	fix: string,
) => void;

/** Why a file is rejected for a field that cannot be read. */
export const TOO_UNSURE = "it bounds what the agent may do, so nothing is guessed";
