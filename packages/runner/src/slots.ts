/** A number of slots that waiting work gets in the order in which it asked. */
export interface Slots {
	/** How many are taken. */
	readonly taken: number;
	/** How many wait for one. */
	readonly waiting: number;
	/** Starts `work` at once if a slot is free, otherwise later. Returns a handle to give up waiting. */
	request(work: () => void): SlotRequest;
	/** Changes the limit. More slots start waiting work at once; fewer stop nothing that runs. */
	setLimit(limit: number): void;
}

/** A place in the line, then a slot. */
export interface SlotRequest {
	/** Gives the slot back, or leaves the line. May be called twice. */
	release(): void;
}

/** Slots of which at most `limit` are taken. */
export function createSlots(limit: number): Slots {
	let capacity = checked(limit);
	let taken = 0;
	const line: Array<{ start: () => void }> = [];

	function drain(): void {
		while (taken < capacity) {
			const next = line.shift();
			if (next === undefined) return;
			next.start();
		}
	}

	return {
		get taken() {
			return taken;
		},
		get waiting() {
			return line.length;
		},
		request(work) {
			let state: "waiting" | "held" | "released" = "waiting";
			const place = {
				start() {
					state = "held";
					taken++;
					work();
				},
			};
			line.push(place);
			drain();
			return {
				release() {
					if (state === "held") taken--;
					else if (state === "waiting") line.splice(line.indexOf(place), 1);
					if (state !== "released") {
						state = "released";
						drain();
					}
				},
			};
		},
		setLimit(next) {
			capacity = checked(next);
			drain();
		},
	};
}

function checked(limit: number): number {
	if (Number.isInteger(limit) && limit >= 1) return limit;
	throw new RangeError(
		`The limit of agents at once is ${limit}; it must be a whole number of 1 or more.`,
	);
}
