import { THINKING_LEVELS, type ThinkingLevel } from "@pi-subagents/core";
import { splitList } from "./tool-names.js";
import type { FieldValue } from "./yaml-value.js";

/** Whether nothing stands behind the key: `tools:`, `tools: ~`, `tools: null`. */
export function isEmpty(value: FieldValue): boolean {
	return (
		value.kind === "scalar" &&
		(value.text.trim() === "" || (value.plain && /^(?:~|null)$/i.test(value.text.trim())))
	);
}

/** One text; `undefined` if the value is no text. */
export function readText(value: FieldValue): string | undefined {
	if (value.kind !== "scalar") return undefined;
	// `\r` may come from an escape in a quoted text.
	return value.text.replace(/\r\n?/g, "\n").trim();
}

/** Longer lists are no lists that a person wrote. */
const MAX_ENTRIES = 300;

/** A list, or a text that holds one; `undefined` if the value is neither, or has hundreds of entries. */
export function readList(value: FieldValue): readonly string[] | undefined {
	const entries = value.kind === "list" ? value.items.flatMap(splitList) : readListText(value);
	return entries !== undefined && entries.length <= MAX_ENTRIES ? entries : undefined;
}

function readListText(value: FieldValue): readonly string[] | undefined {
	if (value.kind !== "scalar") return undefined;
	const text = value.text.trim();
	return splitList(/^\[[^[\]]*\]$/s.test(text) ? text.slice(1, -1) : text);
}

/** A yes or no in any common spelling. */
export function readBoolean(value: FieldValue): boolean | undefined {
	const text = readText(value)?.toLowerCase();
	if (text === undefined) return undefined;
	if (["true", "yes", "on", "1"].includes(text)) return true;
	return ["false", "no", "off", "0"].includes(text) ? false : undefined;
}

/** A number that is not negative; words for "no limit" are 0. */
export function readNumber(value: FieldValue, integer: boolean): number | undefined {
	const text = readText(value)?.toLowerCase();
	if (text === undefined) return undefined;
	if (["unlimited", "none", "off", "false", "no"].includes(text)) return 0;
	const number = Number(text);
	if (!/^\d{1,15}(?:\.\d{1,9})?$/.test(text) || (integer && !Number.isInteger(number)))
		return undefined;
	return number;
}

/** A thinking level, or a word that means that there is none. */
export function readThinking(value: FieldValue): ThinkingLevel | undefined {
	const text = readText(value)?.toLowerCase() ?? "";
	if (["false", "none", "no", "disabled", "0"].includes(text)) return "off";
	return THINKING_LEVELS.find((level) => level === text);
}

/** The one entry of a list that stands for all or nothing: `all`, `*`, `true`; `none`, `false`. */
export function readKeyword(entries: readonly string[]): "all" | "none" | undefined {
	if (entries.length === 0) return "none";
	const only = entries.length === 1 ? entries[0]?.toLowerCase() : undefined;
	if (only === "*" || only === "all" || only === "true") return "all";
	return only === "none" || only === "false" ? "none" : undefined;
}
