import { EVENT_ID, type Event, getScalarValue, parseEvents, SCALAR_STYLE } from "js-yaml";

/** What stands behind a key, before anything is made of it: text and lists of text, never numbers, dates or booleans. */
export type FieldValue =
	| { readonly kind: "scalar"; readonly text: string; readonly plain: boolean }
	| { readonly kind: "list"; readonly items: readonly string[] }
	/** A mapping, nested lists, an alias or a tagged value: nothing that a field of ours can have. */
	| { readonly kind: "other" };

/** A value, and where it stands in the text that it was parsed from. */
export interface ParsedValue {
	readonly key: string;
	readonly value: FieldValue;
	/** From the value's first character to behind its last, if it is a scalar that is not empty; quotes belong to it. */
	readonly range?: readonly [start: number, end: number];
}

/**
 * The value of the one key in `text` (`key: value`, over as many lines as it takes), or `undefined` if that is not valid
 * YAML. Only the library's parser is used, no schema: nothing is resolved, so aliases cannot multiply, and `name: true`
 * stays text.
 */
export function parseYamlValue(text: string): ParsedValue | undefined {
	const simple = SIMPLE.exec(text);
	if (simple) return simpleValue(simple);
	let events: Event[];
	try {
		events = parseEvents(text, { maxDepth: 10 });
	} catch {
		return undefined;
	}
	const [, mapping, key, value] = events;
	if (mapping?.type !== EVENT_ID.MAPPING || key?.type !== EVENT_ID.SCALAR || !value) {
		return undefined;
	}
	const found = { key: getScalarValue(text, key) };
	if (value.type === EVENT_ID.SCALAR) {
		if (events.length !== 6) return undefined;
		if (value.tagStart !== value.tagEnd) return { ...found, value: { kind: "other" } };
		const style = value.style;
		const quoted =
			style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED ? 1 : 0;
		return {
			...found,
			value: {
				kind: "scalar",
				text: getScalarValue(text, value),
				plain: style === SCALAR_STYLE.PLAIN,
			},
			...(value.valueStart >= 0 && {
				range: [value.valueStart - quoted, value.valueEnd + quoted] as const,
			}),
		};
	}
	if (value.type !== EVENT_ID.SEQUENCE) return { ...found, value: { kind: "other" } };
	const items = events.slice(4, -3);
	const texts = items.map((item) =>
		item.type === EVENT_ID.SCALAR && item.tagStart === item.tagEnd
			? getScalarValue(text, item)
			: undefined,
	);
	if (!texts.every((item) => item !== undefined)) return { ...found, value: { kind: "other" } };
	return { ...found, value: { kind: "list", items: texts } };
}

// One line of letters, digits and marks that mean nothing in YAML: most fields of most files, and ten times as fast.
const SIMPLE = /^([A-Za-z_][\w-]*)(:[ ]+)([\p{L}\p{N}_/][\p{L}\p{N}_ .,/()'-]*)$/u;

function simpleValue([, key = "", colon = "", rest = ""]: RegExpExecArray): ParsedValue {
	const text = rest.trimEnd();
	const start = key.length + colon.length;
	return {
		key,
		value: { kind: "scalar", text, plain: true },
		range: [start, start + text.length],
	};
}
