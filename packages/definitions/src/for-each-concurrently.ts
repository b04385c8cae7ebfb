/** Calls `work` for every item, with at most `limit` calls in progress. */
export async function forEachConcurrently<T>(
	items: readonly T[],
	limit: number,
	work: (item: T) => Promise<void>,
): Promise<void> {
	const queue = items.values();
	const worker = async (): Promise<void> => {
		for (const item of queue) await work(item);
	};
	await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
}
