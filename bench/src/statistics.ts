/** The middle value; of an even number of values, the mean of the two in the middle. `NaN` of none. */
export function median(values: readonly number[]): number {
	const sorted = values.toSorted((a, b) => a - b);
	const middle = sorted.length / 2;
	const low = sorted[Math.ceil(middle) - 1] ?? Number.NaN;
	const high = sorted[Math.floor(middle)] ?? Number.NaN;
	return (low + high) / 2;
}

/**
 * Where the true median is with a probability of at least 95 %, whatever the distribution: two of the values in order.
 * `undefined` of fewer than 6 values, which cannot tell.
 */
export function medianInterval(
	values: readonly number[],
): { readonly low: number; readonly high: number } | undefined {
	const count = values.length;
	// How many values may be cut off at each end: the tail of a binomial distribution with p = 0.5.
	let cut = -1;
	let tail = 0;
	let probability = 0.5 ** count;
	while (tail + probability <= 0.025) {
		tail += probability;
		cut++;
		probability *= (count - cut) / (cut + 1);
	}
	const sorted = values.toSorted((a, b) => a - b);
	const low = sorted[cut];
	const high = sorted[count - 1 - cut];
	return low === undefined || high === undefined ? undefined : { low, high };
}

/** The exponent `k` of the law `cost = c * size ** k` that fits best: 1 is linear, 0 does not grow. */
export function growthExponent(points: readonly (readonly [size: number, cost: number])[]): number {
	const logs = points.map(([size, cost]) => [Math.log(size), Math.log(cost)] as const);
	const mean = (pick: 0 | 1): number => logs.reduce((sum, log) => sum + log[pick], 0) / logs.length;
	const [x, y] = [mean(0), mean(1)];
	const above = logs.reduce((sum, log) => sum + (log[0] - x) * (log[1] - y), 0);
	const below = logs.reduce((sum, log) => sum + (log[0] - x) ** 2, 0);
	return above / below;
}
