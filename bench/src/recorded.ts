import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { benchFolder } from "./paths.js";
import type { Limit, Result } from "./result.js";

/** The ratios of results without a promise, by what they measure. */
export type Recorded = Readonly<Record<string, number>>;

/** What a recorded ratio may grow to before it counts as broken. */
const GROWTH = 1.5;

const file = join(benchFolder, "recorded.json");

/** What was recorded last. */
export async function readRecorded(): Promise<Recorded> {
	return JSON.parse(await readFile(file, "utf8"));
}

/** Records the ratios of these results, and keeps those of others. */
export async function writeRecorded(results: readonly Result[]): Promise<void> {
	const ratios = results.flatMap(({ what, ratio, limit }) =>
		ratio === undefined || limit !== undefined ? [] : [[what, Number(ratio.toPrecision(2))]],
	);
	const recorded = { ...(await readRecorded()), ...Object.fromEntries(ratios) };
	await writeFile(file, `${JSON.stringify(recorded, undefined, "\t")}\n`);
}

/** The promise, or else half as much again as was recorded. */
export function limitOf(result: Result, recorded: Recorded): Limit | undefined {
	if (result.limit !== undefined) return result.limit;
	const ratio = recorded[result.what];
	return ratio === undefined ? undefined : { of: "ratio", most: ratio * GROWTH };
}
