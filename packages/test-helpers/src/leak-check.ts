/** What keeps the process alive and was not there before: how many of each kind, by Node's name for it. */
export type Leaks = Readonly<Record<string, number>>;

/** A snapshot to compare with. */
export interface LeakCheck {
	/**
	 * What was added since the snapshot: `{}` if nothing was. Handles that are being closed get some turns of the event
	 * loop to go away; timers that do not keep the process alive do not count.
	 */
	check(): Promise<Leaks>;
}

/** Handles take a few turns of the event loop from `close()` until they are gone; this is far more than any needs. */
const TURNS = 100;

/**
 * Remembers what keeps the process alive now: timers, sockets, servers, child processes and so on. Names are those of
 * `process.getActiveResourcesInfo()`, for example `Timeout` and `TCPSocketWrap`.
 */
export function leakCheck(): LeakCheck {
	const before = count(process.getActiveResourcesInfo());
	return {
		async check() {
			let leaks = added(before);
			for (let turn = 0; turn < TURNS && Object.keys(leaks).length > 0; turn++) {
				await new Promise((resolve) => setImmediate(resolve));
				leaks = added(before);
			}
			return leaks;
		},
	};
}

function added(before: ReadonlyMap<string, number>): Leaks {
	const leaks: Record<string, number> = {};
	for (const [name, now] of count(process.getActiveResourcesInfo())) {
		const more = now - (before.get(name) ?? 0);
		if (more > 0) leaks[name] = more;
	}
	return leaks;
}

function count(names: readonly string[]): ReadonlyMap<string, number> {
	const counts = new Map<string, number>();
	for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
	return counts;
}
