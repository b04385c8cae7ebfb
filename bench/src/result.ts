/** One line of the table. */
export interface Result {
	/** What is measured. */
	readonly what: string;
	/** Of `baseline` and `ours`; empty for plain numbers. */
	readonly unit: string;
	/** Measured in the same run. */
	readonly baseline?: number;
	readonly ours: number;
	/** Ours for one unit of the baseline; the median of the rounds' ratios, so not exactly `ours / baseline`. */
	readonly ratio?: number;
	/** What the project promises. Absent: the ratio may not be half as large again as it was when it was recorded. */
	readonly limit?: Limit;
	/** What else to know. */
	readonly note?: string;
}

/** What may be at most `most`, and at least `least`: the ratio, our own value, or what ours has more than the baseline. */
export interface Limit {
	readonly of: "ratio" | "ours" | "added";
	readonly most: number;
	readonly least?: number;
}

/** Measures what one row promises; called in a process of its own, with `gc` exposed. */
export type Row = () => Promise<readonly Result[]>;

/** Whether a result keeps its limit; `undefined` if it has none that can be told. */
export function isKept(
	result: Result,
	limit: Limit | undefined = result.limit,
): boolean | undefined {
	if (limit === undefined) return undefined;
	const value = limitedValue(result, limit.of);
	if (value === undefined) return undefined;
	return value <= limit.most && value >= (limit.least ?? Number.NEGATIVE_INFINITY);
}

function limitedValue({ baseline, ours, ratio }: Result, of: Limit["of"]): number | undefined {
	switch (of) {
		case "ratio":
			return ratio;
		case "ours":
			return ours;
		case "added":
			return baseline === undefined ? undefined : ours - baseline;
	}
}
