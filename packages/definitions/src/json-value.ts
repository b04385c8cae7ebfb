import type { FieldValue } from "./yaml-value.js";

/** A value from JSON or from a program, as it would have been read from a header. */
export function fromJson(value: unknown): FieldValue {
	if (value === null) return { kind: "scalar", text: "", plain: true };
	if (typeof value === "string") return { kind: "scalar", text: value, plain: false };
	if (typeof value === "number" || typeof value === "boolean") {
		return { kind: "scalar", text: String(value), plain: true };
	}
	if (!Array.isArray(value)) return { kind: "other" };
	const items = value.map((item: unknown) => (isPlain(item) ? String(item) : undefined));
	return items.every((item) => item !== undefined) ? { kind: "list", items } : { kind: "other" };
}

function isPlain(value: unknown): boolean {
	return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/** The members of an object that is neither an array nor of a class; `undefined` for everything else. */
export function membersOf(value: unknown): readonly (readonly [string, unknown])[] | undefined {
	if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
	return Object.entries(value);
}
