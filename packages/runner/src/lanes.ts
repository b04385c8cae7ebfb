import { createSlots, type SlotRequest, type Slots } from "./slots.js";

/** Whose slot a run takes. */
export interface LaneRequest {
	readonly background: boolean;
	readonly parentId: string | undefined;
}

/**
 * The lines that runs wait in: one for all background runs, and one for the foreground runs of each parent, so that a
 * parent that waits never waits for background work, nor for another parent's.
 */
export interface Lanes {
	/** Starts `work` when there is a slot, at once or later. */
	request(lane: LaneRequest, work: () => void): SlotRequest;
	/** Throws a `RangeError` unless it is a whole number of 1 or more. */
	setLimit(limit: number): void;
}

/** Lanes with `limit` slots each. */
export function createLanes(limit: number): Lanes {
	const background = createSlots(limit);
	const foreground = new Map<string | undefined, Slots>();
	let capacity = limit;

	function foregroundOf(parentId: string | undefined): Slots {
		const known = foreground.get(parentId);
		if (known !== undefined) return known;
		const slots = createSlots(capacity);
		foreground.set(parentId, slots);
		return slots;
	}

	return {
		request(lane, work) {
			if (lane.background) return background.request(work);
			const { parentId } = lane;
			const slots = foregroundOf(parentId);
			const request = slots.request(work);
			return {
				release() {
					request.release();
					const unused = slots.taken === 0 && slots.waiting === 0;
					if (unused && foreground.get(parentId) === slots) foreground.delete(parentId);
				},
			};
		},
		setLimit(next) {
			background.setLimit(next);
			capacity = next;
			for (const slots of foreground.values()) slots.setLimit(next);
		},
	};
}
