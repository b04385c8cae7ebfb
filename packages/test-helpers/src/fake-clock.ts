/** A clock that stands still until it is told to go on. */
export interface FakeClock {
	/** Milliseconds since the epoch. */
	now(): number;
	/** Calls `callback` once, when `advance` has reached `ms` from now; the returned function cancels that. */
	setTimeout(callback: () => void, ms: number): () => void;
	/**
	 * Moves the time on by `ms`. Timers that become due run one after the other, each at its own time and in the order in
	 * which they were set; so do those that they set themselves. Before the first, between any two and after the last,
	 * everything that only waits for promises goes on. Rejects with what a timer throws; the rest stays pending.
	 */
	advance(ms: number): Promise<void>;
	/** How many timers are set. */
	readonly pendingTimers: number;
}

interface Timer {
	readonly dueAt: number;
	readonly callback: () => void;
}

/** A clock for code that takes its clock as an argument; it starts at `start`, in milliseconds since the epoch. */
export function fakeClock(start = 0): FakeClock {
	let time = start;
	const timers = new Set<Timer>();

	function nextDue(until: number): Timer | undefined {
		let next: Timer | undefined;
		// A set keeps the order of insertion, so that of two timers with the same time the first one wins.
		for (const timer of timers) {
			if (timer.dueAt <= until && (next === undefined || timer.dueAt < next.dueAt)) next = timer;
		}
		return next;
	}

	return {
		now: () => time,
		setTimeout(callback, ms) {
			const timer: Timer = { dueAt: time + Math.max(0, ms), callback };
			timers.add(timer);
			return () => {
				timers.delete(timer);
			};
		},
		async advance(ms) {
			const until = time + ms;
			await settle();
			for (let timer = nextDue(until); timer; timer = nextDue(until)) {
				timers.delete(timer);
				time = Math.max(time, timer.dueAt);
				timer.callback();
				await settle();
			}
			time = Math.max(time, until);
			await settle();
		},
		get pendingTimers() {
			return timers.size;
		},
	};
}

/** Runs every promise reaction that is or becomes ready: they all come before the next turn of the event loop. */
function settle(): Promise<void> {
	return new Promise((resolve) => setImmediate(resolve));
}
