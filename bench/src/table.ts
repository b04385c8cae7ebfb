import { isKept, type Limit, type Result } from "./result.js";

/** A result, the row that it is from, and its limit. */
export interface Line {
	readonly row: string;
	readonly result: Result;
	readonly limit: Limit | undefined;
}

const TITLES = ["row", "what", "baseline", "ours", "ratio", "limit", ""] as const;

/** The table as text for a terminal, which is also Markdown. */
export function formatTable(lines: readonly Line[]): string {
	const cells = [TITLES, ...lines.map(cellsOf)];
	const widths = TITLES.map((_, column) =>
		Math.max(...cells.map((row) => (row[column] ?? "").length)),
	);
	const text = cells.map((row) => {
		const padded = row.map((cell, column) => {
			const width = widths[column] ?? 0;
			return column >= 2 && column <= 4 ? cell.padStart(width) : cell.padEnd(width);
		});
		return `| ${padded.join(" | ")} |`;
	});
	const rule = widths.map((width, column) =>
		column >= 2 && column <= 4 ? `${"-".repeat(width + 1)}:` : "-".repeat(width + 2),
	);
	return [text[0], `|${rule.join("|")}|`, ...text.slice(1)].join("\n");
}

function cellsOf({ row, result, limit }: Line): readonly string[] {
	const { what, unit, baseline, ours, ratio, note } = result;
	const quantity = (value: number): string => `${formatNumber(value)} ${unit}`.trim();
	const kept = isKept(result, limit);
	return [
		row,
		note === undefined ? what : `${what} (${note})`,
		baseline === undefined ? "" : quantity(baseline),
		quantity(ours),
		ratio === undefined ? "" : formatNumber(ratio),
		limit === undefined ? "" : formatLimit(limit, unit),
		kept === undefined ? "" : kept ? "ok" : "OVER",
	];
}

function formatLimit({ of, most, least }: Limit, unit: string): string {
	const number = `${formatNumber(most)} ${of === "ratio" ? "" : unit}`.trim();
	if (most === least) return `exactly ${number}`;
	switch (of) {
		case "ratio":
			return `ratio at most ${number}`;
		case "added":
			return `at most ${number} more`;
		case "ours":
			return `at most ${number}`;
	}
}

/** With three digits that say something, and whole numbers whole. */
function formatNumber(value: number): string {
	if (Number.isInteger(value)) return String(value);
	const digits = Math.min(3, Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value)))));
	return value.toFixed(digits);
}
