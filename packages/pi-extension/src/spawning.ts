import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import type { Clock } from "@pi-subagents/runner";
import type { SpawningEvent, SpawnRequest } from "./service/events.js";

/** How long decisions may take. */
export interface SpawningBounds {
	/** Seconds; 0 means no limit. */
	readonly seconds: number;
	readonly clock: Clock;
	readonly signal: AbortSignal | undefined;
}

/** Asks all other extensions, and resolves with why the agent must not be started; `undefined` if it may. */
export async function askExtensions(
	bus: Pick<ExtensionAPI["events"], "emit">,
	request: SpawnRequest,
	{ seconds, clock, signal }: SpawningBounds,
): Promise<string | undefined> {
	const decisions: Array<Promise<unknown>> = [];
	let reason: string | undefined;
	const veto = (why: unknown): void => {
		reason ??= String(why).trim() || "no reason was given";
	};
	const event: SpawningEvent = {
		...request,
		veto,
		waitUntil(decision) {
			const decided = Promise.resolve(decision).catch((error: unknown) =>
				veto(
					`the extension that decides failed: ${error instanceof Error ? error.message : error}`,
				),
			);
			decisions.push(decided);
		},
	};
	bus.emit("subagents:spawning", event);
	if (decisions.length === 0) return reason;

	let release = (): void => {};
	const over = new Promise<string>((resolve) => {
		const cancel =
			seconds > 0
				? clock.setTimeout(
						() => resolve(`an extension did not decide within ${seconds} seconds`),
						seconds * 1000,
					)
				: () => {};
		const onAbort = (): void => resolve("the call was interrupted");
		signal?.addEventListener("abort", onAbort, { once: true });
		if (signal?.aborted) onAbort();
		release = () => {
			cancel();
			signal?.removeEventListener("abort", onAbort);
		};
	});
	const late = await Promise.race([allDecided(decisions), over]);
	release();
	return reason ?? late;
}

/** A decision may lead to another one, for example when a handler asks a second time. */
async function allDecided(decisions: ReadonlyArray<Promise<unknown>>): Promise<undefined> {
	let count = -1;
	while (count < decisions.length) {
		count = decisions.length;
		await Promise.all(decisions);
	}
	return undefined;
}
