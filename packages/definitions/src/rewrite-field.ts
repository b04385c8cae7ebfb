import type { FieldName, FieldValues } from "./field-values.js";
import { fieldSpec } from "./fields.js";
import { formatValue } from "./format-agent-file.js";
import { fieldText, type HeaderField } from "./header.js";
import { replaceListItems } from "./replace-list-items.js";
import { parseYamlValue } from "./yaml-value.js";

type SomeValue = NonNullable<FieldValues[FieldName]>;

/** The lines of a new field. */
export function newField(name: FieldName, value: SomeValue): readonly string[] {
	return `${name}: ${formatValue(name, value)}`.split("\n");
}

/** The lines of a field with another value. The key's spelling, comments and blanks around the value stay. */
export function rewriteField(
	field: HeaderField,
	name: FieldName,
	value: SomeValue,
	header: readonly string[],
): readonly string[] {
	const text = fieldText(field, header);
	if (Array.isArray(value)) {
		const items = replaceListItems(text, value);
		if (items) return items;
	}
	const written = formatValue(name, field.known?.negated ? !value : value);
	const [first = "", ...more] = written.split("\n");
	const range = parseYamlValue(text)?.range;
	if (range && !text.includes("\n")) {
		return [text.slice(0, range[0]) + first + text.slice(range[1]), ...more];
	}
	const colon = text.indexOf(":", field.key.length) + 1;
	const [inline = "", ...below] = text.slice(colon).split("\n");
	const comment = /\s#.*$/.exec(inline)?.[0] ?? "";
	const isText = ["name", "text"].includes(fieldSpec(name).type);
	const comments = isText ? [] : below.filter((line) => /^\s*#/.test(line));
	return [
		`${text.slice(0, colon)} ${first}${isText && !range ? "" : comment}`,
		...more,
		...comments,
	];
}
