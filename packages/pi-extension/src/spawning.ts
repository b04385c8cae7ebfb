import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import type { Clock } from "@pi-subagents/runner";

/** What is going to be started, before anything of it is made. */
export interface SpawnRequest {
	/** The name of the definition. */
	readonly type: string;
	readonly description: string;
	/** The task, as the agent will get it. */
	readonly prompt: string;
	/** The directory that it would work in, before a worktree of its own is made. */
	readonly cwd: string;
	/** `provider/id` */
	readonly model: string;
	readonly isolation: "none" | "worktree";
	readonly background: boolean;
	/** 1 for agents of the main session. */
	readonly depth: number;
	/** The agent that asks; absent for the main session. */
	readonly parentId?: string;
	/** The session that asks. */
	readonly parentSessionId: string;
	/** The id of the agent that gets a further task; absent for a new agent. */
	readonly resume?: string;
}

/** The event `subagents:spawning` on `pi.events`. */
export interface SpawningEvent extends SpawnRequest {
	/** Forbids it; the model that asks is told the reason. The first reason counts. */
	veto(reason: string): void;
	/**
	 * Lets everybody wait for `decision`, because the bus itself waits for nobody: call it before the first `await` of a
	 * handler. If it rejects, or takes too long, the agent is not started.
	 */
	waitUntil(decision: PromiseLike<unknown>): void;
}

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
