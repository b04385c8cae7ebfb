import type { HostEvent, ObservableSession } from "@pi-subagents/core";
import {
	createActivity,
	subscribeRecordObserver,
	subscribeUIObserver,
} from "@pi-subagents/observers";
import { createTestRecord, loadTrace } from "@pi-subagents/test-helpers";
import { compare, cpuTime } from "../compare.js";
import type { Result } from "../result.js";

/** How often the trace is replayed for one sample. */
const REPLAYS = 5000;

/** What one event costs each observer, and a listener that only counts. */
export async function measureObservers(): Promise<readonly Result[]> {
	const { events } = loadTrace("1.6.0", "tools-parallel");
	const bare = createEmitter();
	let heard = 0;
	bare.subscribe(() => {
		heard++;
	});
	const recorded = createEmitter();
	subscribeRecordObserver(recorded, createTestRecord());
	const watched = createEmitter();
	subscribeUIObserver(watched, createActivity());

	const replay = (emitter: Emitter) => () => {
		const milliseconds = cpuTime(() => {
			for (let turn = 0; turn < REPLAYS; turn++) for (const event of events) emitter.emit(event);
		});
		return { nanoseconds: (milliseconds * 1e6) / REPLAYS / events.length };
	};
	const against = async (what: string, emitter: Emitter): Promise<Result> => {
		const sides = { baseline: replay(bare), ours: replay(emitter) };
		const { nanoseconds } = await compare({ ...sides, leastRounds: 25 });
		return {
			what: `${what}, one event, against a listener that counts`,
			unit: "ns",
			...nanoseconds,
		};
	};
	const results = [
		await against("record observer", recorded),
		await against("UI observer", watched),
	];
	if (heard === 0) throw new Error("The bare listener heard nothing.");
	return results;
}

interface Emitter extends ObservableSession {
	emit(event: HostEvent): void;
}

/** The plain loop of the hosts. */
function createEmitter(): Emitter {
	const listeners: ((event: HostEvent) => void)[] = [];
	return {
		subscribe(listener) {
			listeners.push(listener);
			return () => void listeners.splice(listeners.indexOf(listener), 1);
		},
		emit(event) {
			for (const listener of listeners) listener(event);
		},
	};
}
