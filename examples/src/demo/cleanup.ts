/** Things to put away in the end, whatever the end is. */
export interface Cleanup {
	/** Remembers what `making` makes, even before it is made. */
	keep<T>(making: Promise<T>, putAway: (made: T) => Promise<unknown>): Promise<T>;
	/** Puts everything away, the last thing first. Called again, it waits for the same. */
	run(): Promise<void>;
}

/** Nothing is to be put away yet. */
export function createCleanup(): Cleanup {
	const steps: (() => Promise<unknown>)[] = [];
	let running: Promise<void> | undefined;

	async function putAwayAll(): Promise<void> {
		for (let step = steps.pop(); step; step = steps.pop()) await step();
	}

	return {
		keep(making, putAway) {
			steps.push(() => making.then(putAway, () => undefined));
			return making;
		},
		run() {
			running ??= putAwayAll();
			return running;
		},
	};
}
