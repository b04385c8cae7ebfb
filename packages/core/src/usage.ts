/**
 * What an agent has used over its whole life: tokens, and US dollars in `cost`.
 *
 * Summed over assistant messages, so a compaction, which replaces the message list, cannot lower it.
 */
export interface Usage {
	input: number;
	output: number;
	/** Prompt tokens served from the provider's cache; each turn reads the whole cached prefix again. */
	cacheRead: number;
	cacheWrite: number;
	/** US dollars. */
	cost: number;
}

/**
 * The `usage` of an assistant message as the hosts write it (pi-ai's `Usage`, 0.73.1 and 1.6.0), of which only the
 * members below are read. All are optional because exotic providers leave them out; `cost` is either dollars or an
 * object with its `total`.
 */
export interface HostUsage {
	readonly input?: number | undefined;
	readonly output?: number | undefined;
	readonly cacheRead?: number | undefined;
	readonly cacheWrite?: number | undefined;
	readonly cost?: number | { readonly total?: number | undefined } | undefined;
}

/** A usage of nothing. */
export function emptyUsage(): Usage {
	return { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0 };
}

/**
 * Adds a host's usage object, or another `Usage`, to `target` in place. Anything missing or not a finite number counts
 * as 0, whatever the provider sent; it never throws.
 */
export function addUsage(target: Usage, usage: HostUsage | null | undefined): void {
	if (typeof usage !== "object" || usage === null) return;
	target.input += finite(usage.input);
	target.output += finite(usage.output);
	target.cacheRead += finite(usage.cacheRead);
	target.cacheWrite += finite(usage.cacheWrite);
	const cost = usage.cost;
	target.cost += finite(typeof cost === "object" && cost !== null ? cost.total : cost);
}

/**
 * The token total shown to people: input + output + cacheWrite. Cache reads are left out, because they count the cached
 * prefix once per turn and inflate the number five to fifteen times.
 */
export function totalTokens(usage: Readonly<Usage>): number {
	return usage.input + usage.output + usage.cacheWrite;
}

function finite(value: unknown): number {
	return typeof value === "number" && Number.isFinite(value) ? value : 0;
}
