import type { TerminalStatus } from "./status.js";

/**
 * Why a run ended. Together with the status it says all that a surface needs, so that none has to guess.
 *
 * | status | reasons |
 * | --- | --- |
 * | `completed` | `finished`, `output_limit` (cut off by the model's output limit), `no_report` (the last message had no text) |
 * | `steered` | `turn_limit` |
 * | `aborted` | `turn_limit`, `time_limit`, `token_limit`, `cost_limit`, `tool_time_limit`, `stalled` |
 * | `stopped` | `user`, `turn_interrupted`, `parent`, `program`, `shutdown` |
 * | `error` | `provider_error`, `refusal`, `start_failed`, `interrupted`, `failed` |
 */
export type OutcomeReason =
	| "finished"
	| "output_limit"
	| "no_report"
	| LimitReason
	| StopReason
	| "provider_error"
	| "refusal"
	/** The session could not be created, so the model was never asked. */
	| "start_failed"
	/** The process that ran the agent ended first. */
	| "interrupted"
	/** Anything else that threw. */
	| "failed";

/** The limits that can end a run. */
export type LimitReason =
	| "turn_limit"
	| "time_limit"
	| "token_limit"
	| "cost_limit"
	| "tool_time_limit"
	| "stalled";

/**
 * Who or what stopped a run. `turn_interrupted`: the turn of the main session that waited for it was aborted, by the user or
 * because the host does that before a compaction; a signal does not tell which. `program` is another extension or application,
 * `shutdown` the end of the host's session.
 */
export type StopReason = "user" | "turn_interrupted" | "parent" | "program" | "shutdown";

/** How a run ended. */
export interface AgentOutcome {
	readonly status: TerminalStatus;
	readonly reason: OutcomeReason;
	/** What the provider or the host said, or the limit that was hit; a clause without a full stop. */
	readonly detail?: string;
	/** Whether the run ended before the model was asked anything. */
	readonly neverStarted?: boolean;
}

const PHRASES: Readonly<Record<OutcomeReason, string>> = {
	finished: "completed",
	output_limit: "cut off at the model's output limit; the text is incomplete",
	no_report: "finished without a report",
	turn_limit: "turn limit reached",
	time_limit: "time limit reached",
	token_limit: "token limit reached",
	cost_limit: "cost limit reached",
	tool_time_limit: "a tool ran past its time limit",
	stalled: "no progress for too long",
	user: "stopped by the user",
	turn_interrupted: "stopped when the turn was interrupted",
	parent: "stopped by the parent agent",
	program: "stopped by a program",
	shutdown: "stopped because the session ended",
	provider_error: "the model provider failed",
	refusal: "the model refused",
	start_failed: "could not be started",
	interrupted: "interrupted when the process ended",
	failed: "failed",
};

/**
 * The one sentence fragment that tool results, notifications, events and the UI use for an outcome, for example
 * `the model provider failed: 400 bad request`. No capital, no full stop.
 */
export function describeOutcome(outcome: AgentOutcome): string {
	let phrase = PHRASES[outcome.reason];
	if (outcome.status === "steered") phrase += ", wrapped up in time";
	if (outcome.status === "aborted") phrase += ", cut off";
	if (outcome.neverStarted && outcome.status === "stopped") phrase += " before it started";
	return outcome.detail ? `${phrase}: ${outcome.detail}` : phrase;
}

/** Whether an outcome is a failure that the parent's model has to be told as an error. */
export function isFailure(outcome: AgentOutcome): boolean {
	return outcome.status === "error";
}

/** Whether the text that goes with an outcome is only a part of what the agent would have said. */
export function isPartial(outcome: AgentOutcome): boolean {
	return (
		outcome.reason === "output_limit" ||
		outcome.reason === "no_report" ||
		(outcome.status !== "completed" && outcome.status !== "steered")
	);
}
