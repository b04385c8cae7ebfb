/** The member of a value that came as JSON; `undefined` if there is none. */
export function member(value: unknown, key: string): unknown {
	if (typeof value !== "object" || value === null) return undefined;
	return Object.getOwnPropertyDescriptor(value, key)?.value;
}

/** The member, if it is a text, else an empty one. */
export function text(value: unknown, key: string): string {
	const found = member(value, key);
	return typeof found === "string" ? found : "";
}

/** The member, if it is a number, else 0. */
export function number(value: unknown, key: string): number {
	const found = member(value, key);
	return typeof found === "number" ? found : 0;
}

/** The member, if it is a list, else an empty one. */
export function list(value: unknown, key: string): readonly unknown[] {
	const found = member(value, key);
	return Array.isArray(found) ? found : [];
}

/** A line of JSON; `undefined` if it is none. */
export function parseJson(line: string): unknown {
	try {
		return JSON.parse(line);
	} catch {
		return undefined;
	}
}
