/** Lets work start one at a time. */
export interface Turnstile {
	/**
	 * Calls `start` in a turn of the event loop of its own, when fewer than the limit are inside. `start` gets what to
	 * call when its work has ended. The returned function takes the work out again if it has not started.
	 */
	enter(start: (leave: () => void) => void): () => void;
}

/**
 * Starting a process blocks the event loop until the process runs, and on a busy machine that takes a while: many at
 * once would be seen as a frozen terminal.
 */
export function createTurnstile(limit: number): Turnstile {
	const waiting: ((leave: () => void) => void)[] = [];
	let inside = 0;
	let isScheduled = false;

	function next(): void {
		if (isScheduled || waiting.length === 0 || inside >= limit) return;
		isScheduled = true;
		setImmediate(() => {
			isScheduled = false;
			const start = waiting.shift();
			if (start === undefined) return;
			inside++;
			let hasLeft = false;
			start(() => {
				if (hasLeft) return;
				hasLeft = true;
				inside--;
				next();
			});
			next();
		});
	}

	return {
		enter(start) {
			waiting.push(start);
			next();
			return () => {
				const position = waiting.indexOf(start);
				if (position !== -1) waiting.splice(position, 1);
			};
		},
	};
}
