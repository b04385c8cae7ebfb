import type { Comparison } from "./compare.js";
import type { Result } from "./result.js";
import { growthExponent } from "./statistics.js";

const SIZES = [10, 100, 1000] as const;

/** No worse than linear, with room for what measuring does to a fit of three points. */
const LINEAR = 1.15;

/** Measures at three sizes, in milliseconds, and how the cost grows between them. */
export async function growth(
	what: string,
	things: string,
	measure: (size: number) => Promise<Comparison>,
): Promise<readonly Result[]> {
	const results: Result[] = [];
	const points: (readonly [number, number])[] = [];
	for (const size of SIZES) {
		const comparison = await measure(size);
		points.push([size, comparison.ours]);
		results.push({ what: `${what} ${size} ${things}`, unit: "ms", ...comparison });
	}
	const exponent: Result = {
		what: `${what} exponent of its growth`,
		unit: "",
		ours: growthExponent(points),
		limit: { of: "ours", most: LINEAR },
	};
	return [...results, exponent];
}
