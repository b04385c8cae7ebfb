/** Named gates that answers wait at. A gate that was opened stays open. */
export interface Gates {
	/** Opens a gate: whoever waits at it goes on, and so does everyone who comes later. */
	open(name: string): void;
	/** Resolves when the gate is open or the signal is aborted. */
	pass(name: string, signal: AbortSignal): Promise<void>;
	/** Shuts all gates again; who waits goes on waiting. */
	reset(): void;
}

/** All gates are shut at first. */
export function createGates(): Gates {
	const opened = new Set<string>();
	const waiting = new Map<string, Set<() => void>>();
	return {
		open(name) {
			opened.add(name);
			for (const go of waiting.get(name) ?? []) go();
			waiting.delete(name);
		},
		pass(name, signal) {
			if (opened.has(name) || signal.aborted) return Promise.resolve();
			return new Promise((resolve) => {
				const others = waiting.get(name) ?? new Set();
				waiting.set(name, others);
				others.add(go);
				signal.addEventListener("abort", go, { once: true });
				function go(): void {
					others.delete(go);
					signal.removeEventListener("abort", go);
					resolve();
				}
			});
		},
		reset() {
			opened.clear();
		},
	};
}
