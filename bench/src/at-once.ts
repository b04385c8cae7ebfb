/** A bare p-limit: starts each work when fewer than `limit` go on, in the order in which they came. */
export function createLimit(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
	const waiting: (() => void)[] = [];
	let active = 0;
	return async (work) => {
		if (active < limit) active++;
		else await new Promise<void>((resolve) => waiting.push(resolve));
		try {
			return await work();
		} finally {
			const next = waiting.shift();
			// Whoever waits takes over the place.
			if (next === undefined) active--;
			else next();
		}
	};
}

/** Runs `work` `count` times, at most `limit` at once. */
export async function atOnce(
	count: number,
	limit: number,
	work: () => Promise<unknown>,
): Promise<void> {
	const limited = createLimit(limit);
	await Promise.all(Array.from({ length: count }, () => limited(work)));
}
