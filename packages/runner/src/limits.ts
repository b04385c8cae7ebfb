import {
	addUsage,
	emptyUsage,
	type RunLimits,
	type SessionEvent,
	totalTokens,
	type Usage,
} from "@pi-subagents/core";
import { type Clock, inSeconds } from "./clock.js";
import type { EndingCause } from "./ending.js";
import { createSilence } from "./silence.js";

/** How many turns an agent may take to wrap up, unless said otherwise. */
export const DEFAULT_GRACE_TURNS = 5;

/** Watches one run. */
export interface LimitWatch {
	/** Turns of this run; attempts that the host retried are not counted. */
	readonly turns: number;
	/** What this run has used. */
	readonly usage: Readonly<Usage>;
	/** Whether the agent was asked to wrap up. */
	readonly wrapUpSent: boolean;
	/** Names of the tools that are running, in the order of their start. */
	readonly activeTools: readonly string[];
	/** Not to be called after {@link stop}. */
	add(event: SessionEvent): void;
	/** Leaves no timer behind. */
	stop(): void;
}

/** What a limit does when it is reached. */
export interface LimitActions {
	/** Asks the agent to give its final answer now. */
	readonly wrapUp: () => void;
	/** Asks the agent, of which nothing is heard, to go on or to end. */
	readonly nudge: () => void;
	readonly end: (cause: EndingCause) => void;
}

/** Throws a `RangeError` with a sentence for people if a limit is not a number of 0 or more. */
export function checkLimits(limits: RunLimits): void {
	for (const [name, value] of Object.entries(limits)) {
		if (value === undefined || (Number.isFinite(value) && value >= 0)) continue;
		throw new RangeError(`${name} is ${value}; it must be a number of 0 or more (0: no limit).`);
	}
}

/**
 * Counts what a run uses and acts on its limits.
 *
 * The turn limit asks the agent to wrap up, and cuts it off only after the grace turns. A turn without tool calls ends
 * the run by itself, so nothing is done after it: an answer that comes just at a limit is a success.
 */
export function watchLimits(
	limits: RunLimits,
	clock: Clock,
	actions: LimitActions,
	untimedTools: ReadonlySet<string> = new Set(),
): LimitWatch {
	const usage = emptyUsage();
	const tools = new Map<string, { readonly name: string; readonly cancel: () => void }>();
	const graceTurns = limits.graceTurns ?? DEFAULT_GRACE_TURNS;
	let turns = 0;
	let wrapUpSent = false;
	const { stallSteerSeconds = 0, stallSeconds = 0 } = limits;
	const silence = createSilence(clock, [
		{ seconds: stallSteerSeconds, act: actions.nudge },
		{
			seconds: stallSeconds,
			act: () => end("stalled", `nothing happened for ${inSeconds(stallSeconds)}`),
		},
	]);

	function startTimer(seconds: number | undefined, onElapsed: () => void): () => void {
		return seconds ? clock.setTimeout(onElapsed, seconds * 1000) : () => {};
	}

	function end(reason: (EndingCause & { kind: "limit" })["reason"], detail: string): void {
		actions.end({ kind: "limit", reason, detail });
	}

	function addTool(id: string, name: string): void {
		removeTool(id);
		const cancel = startTimer(untimedTools.has(name) ? 0 : limits.toolSeconds, () =>
			end("tool_time_limit", `${name} ran for ${inSeconds(limits.toolSeconds)}`),
		);
		tools.set(id, { name, cancel });
	}

	function removeTool(id: string): void {
		tools.get(id)?.cancel();
		tools.delete(id);
	}

	function removeTools(): void {
		for (const id of [...tools.keys()]) removeTool(id);
	}

	/** After a turn that the run goes on from. */
	function checkTurn(): void {
		const tokens = totalTokens(usage);
		if (limits.maxTokens && tokens >= limits.maxTokens) {
			end("token_limit", `${tokens} of ${limits.maxTokens} tokens`);
		} else if (limits.maxCost && usage.cost >= limits.maxCost) {
			end("cost_limit", `$${usage.cost.toFixed(4)} of $${limits.maxCost}`);
		} else if (limits.maxTurns && turns >= limits.maxTurns + graceTurns) {
			const grace = graceTurns > 0 ? ` and ${graceTurns} to wrap up` : "";
			end("turn_limit", `${limits.maxTurns} turns${grace}`);
		} else if (limits.maxTurns && turns >= limits.maxTurns && !wrapUpSent) {
			wrapUpSent = true;
			actions.wrapUp();
		}
	}

	return {
		get turns() {
			return turns;
		},
		usage,
		get wrapUpSent() {
			return wrapUpSent;
		},
		get activeTools() {
			return [...tools.values()].map((tool) => tool.name);
		},
		add(event) {
			switch (event.type) {
				case "tool_execution_start":
					addTool(event.toolCallId, event.toolName);
					break;
				case "tool_execution_end":
					removeTool(event.toolCallId);
					break;
				case "agent_end":
					// A loop that died sends no end for its tools.
					removeTools();
					break;
				case "message_end":
					if (event.message?.role === "assistant") addUsage(usage, event.message.usage);
					break;
				case "turn_end":
					if (event.message?.stopReason !== "error") turns++;
					if ((event.toolResults?.length ?? 0) > 0) checkTurn();
					break;
				default:
					break;
			}
			silence.add(event);
		},
		stop() {
			silence.stop();
			removeTools();
		},
	};
}
