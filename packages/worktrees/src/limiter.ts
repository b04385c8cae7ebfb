/** Runs work for a key, at most so many at a time; the rest waits in order. */
export type Limiter = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** @param limit how much work of one key may go on at the same time, 1 or more */
export function createLimiter(limit: number): Limiter {
	const lanes = new Map<string, { running: number; waiting: (() => void)[] }>();
	return async (key, work) => {
		const lane = lanes.get(key) ?? { running: 0, waiting: [] };
		lanes.set(key, lane);
		if (lane.running >= limit) await new Promise<void>((resolve) => lane.waiting.push(resolve));
		else lane.running++;
		try {
			return await work();
		} finally {
			const next = lane.waiting.shift();
			// The place is handed over, so that nobody who comes in between gets it.
			if (next) next();
			else if (--lane.running === 0) lanes.delete(key);
		}
	};
}
