import { median, medianInterval } from "./statistics.js";

/** What one turn of one side measured. */
export type Sample<Key extends string> = Readonly<Record<Key, number>>;

/** What the turns of both sides say. */
export interface Comparison {
	readonly baseline: number;
	readonly ours: number;
	readonly ratio: number;
}

/** How to compare. */
export interface CompareOptions<Key extends string> {
	readonly baseline: () => Promise<Sample<Key>> | Sample<Key>;
	readonly ours: () => Promise<Sample<Key>> | Sample<Key>;
	/** What the ratio may be at most, for those that have a limit. */
	readonly limits?: Partial<Sample<Key>>;
	/** @defaultValue 7 */
	readonly leastRounds?: number;
	/** @defaultValue 25 */
	readonly mostRounds?: number;
}

/**
 * Lets both sides take turns, A B B A A B ..., after one round of each that does not count, so that whatever the machine
 * does meanwhile happens to both. The ratio is the median of the rounds' ratios. Rounds go on until it is clear on which
 * side of its limit each ratio is.
 */
export async function compare<Key extends string>(
	options: CompareOptions<Key>,
): Promise<Readonly<Record<Key, Comparison>>> {
	const { leastRounds = 7, mostRounds = 25 } = options;
	const limits: Partial<Sample<Key>> = options.limits ?? {};
	const rounds: { readonly baseline: Sample<Key>; readonly ours: Sample<Key> }[] = [];
	await options.baseline();
	await options.ours();
	while (rounds.length < leastRounds || (rounds.length < mostRounds && !isClear())) {
		if (rounds.length % 2 === 0) {
			const baseline = await options.baseline();
			rounds.push({ baseline, ours: await options.ours() });
		} else {
			const ours = await options.ours();
			rounds.push({ baseline: await options.baseline(), ours });
		}
	}
	const entries = keys().map((key) => [key, comparison(key)] as const);
	return Object.fromEntries(entries) as Record<Key, Comparison>;

	function keys(): readonly Key[] {
		return Object.keys(rounds[0]?.ours ?? {}) as Key[];
	}

	function ratios(key: Key): readonly number[] {
		return rounds.map(({ baseline, ours }) => ours[key] / baseline[key]);
	}

	function comparison(key: Key): Comparison {
		return {
			baseline: median(rounds.map(({ baseline }) => baseline[key])),
			ours: median(rounds.map(({ ours }) => ours[key])),
			ratio: median(ratios(key)),
		};
	}

	function isClear(): boolean {
		return keys().every((key) => {
			const limit = limits[key];
			if (limit === undefined) return true;
			const interval = medianInterval(ratios(key));
			return interval !== undefined && (interval.high <= limit || interval.low > limit);
		});
	}
}

/** Milliseconds of wall time and of CPU time of this process. */
export interface Spent {
	readonly wall: number;
	readonly cpu: number;
}

/** What `work` takes in this process. */
export async function spend(work: () => Promise<unknown>): Promise<Sample<keyof Spent>> {
	const start = performance.now();
	const before = process.cpuUsage();
	await work();
	const { user, system } = process.cpuUsage(before);
	return { wall: performance.now() - start, cpu: (user + system) / 1000 };
}

/** The CPU time of `work` in milliseconds: for work that waits for nothing, it is what a busy machine cannot disturb. */
export function cpuTime(work: () => void): number {
	const before = process.cpuUsage();
	work();
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1000;
}
