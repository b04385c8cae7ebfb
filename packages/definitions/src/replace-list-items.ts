import { formatText } from "./format-agent-file.js";
import { parseYamlValue } from "./yaml-value.js";

/**
 * The lines of a field whose value is a list with one item per line, with other items: lines of items that stay keep their
 * comments. `undefined` if the field is not written like that, or the order of what stays changes.
 */
export function replaceListItems(
	text: string,
	items: readonly string[],
): readonly string[] | undefined {
	const [key = "", ...lines] = text.split("\n");
	const value = parseYamlValue(text)?.value;
	const itemLines = lines.filter((line) => /^\s*-(?:\s|$)/.test(line));
	if (value?.kind !== "list" || value.items.length !== itemLines.length || items.length === 0) {
		return undefined;
	}
	const kept = value.items.filter((item) => items.includes(item));
	if (kept.join("\n") !== items.filter((item) => kept.includes(item)).join("\n")) return undefined;
	const indent = /^\s*/.exec(itemLines[0] ?? "")?.[0] ?? "";
	const result = [key];
	let next = 0;
	let index = 0;
	const addNewBefore = (item: string | undefined): void => {
		for (; next < items.length && items[next] !== item; next++) {
			result.push(`${indent}- ${formatText(items[next] ?? "")}`);
		}
		if (item !== undefined) next++;
	};
	for (const line of lines) {
		if (!itemLines.includes(line)) {
			result.push(line);
			continue;
		}
		const item = value.items[index++] ?? "";
		if (!items.includes(item)) continue;
		addNewBefore(item);
		result.push(line);
	}
	addNewBefore(undefined);
	return result;
}
