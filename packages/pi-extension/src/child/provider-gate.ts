import type { Clock } from "@pi-subagents/runner";

/** How far apart those that waited ask a provider again. */
const SPREAD_MS = 250;

/** Keeps agents from asking a provider that has just said that it is asked too often. */
export interface ProviderGate {
	/** Nobody is let through to the provider for so many milliseconds. */
	close(provider: string, ms: number): void;
	/** Whether one who comes now has to wait. */
	isClosed(provider: string): boolean;
	/**
	 * Resolves when it is the caller's turn: at once if nobody was refused lately, otherwise in the order of the calls and a
	 * little apart. Also after `mostMs` milliseconds, and when `signal` aborts.
	 */
	pass(provider: string, mostMs: number, signal: AbortSignal): Promise<void>;
}

interface Line {
	openAt: number;
	readonly waiting: Array<() => void>;
	cancel: (() => void) | undefined;
}

/** A gate that is open. */
export function createProviderGate(clock: Clock): ProviderGate {
	const lines = new Map<string, Line>();

	function lineOf(provider: string): Line {
		const known = lines.get(provider);
		if (known !== undefined) return known;
		const line: Line = { openAt: 0, waiting: [], cancel: undefined };
		lines.set(provider, line);
		return line;
	}

	function arm(line: Line): void {
		line.cancel?.();
		line.cancel = undefined;
		if (line.waiting.length === 0) return;
		line.cancel = clock.setTimeout(
			() => {
				line.openAt = clock.now() + SPREAD_MS;
				line.waiting[0]?.();
			},
			Math.max(0, line.openAt - clock.now()),
		);
	}

	const isClosed = (line: Line): boolean => line.waiting.length > 0 || clock.now() < line.openAt;

	return {
		close(provider, ms) {
			const line = lineOf(provider);
			line.openAt = Math.max(line.openAt, clock.now() + ms);
			arm(line);
		},
		isClosed: (provider) => isClosed(lineOf(provider)),
		pass(provider, mostMs, signal) {
			const line = lineOf(provider);
			if (!isClosed(line) || signal.aborted || mostMs <= 0) return Promise.resolve();
			return new Promise((resolve) => {
				const leave = (): void => {
					cancel();
					signal.removeEventListener("abort", leave);
					line.waiting.splice(line.waiting.indexOf(leave), 1);
					arm(line);
					resolve();
				};
				const cancel = clock.setTimeout(leave, mostMs);
				signal.addEventListener("abort", leave, { once: true });
				line.waiting.push(leave);
				arm(line);
			});
		},
	};
}
