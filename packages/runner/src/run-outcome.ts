import type { AgentOutcome } from "@pi-subagents/core";
import type { EndingCause } from "./ending.js";
import type { RunTranscript } from "./transcript.js";

/** What is known of a run when it is over. */
export interface RunEvidence {
	readonly transcript: RunTranscript;
	/** Why it was ended, if it was. */
	readonly cause: EndingCause | undefined;
	/** What was thrown, if anything was. */
	readonly failure: Error | undefined;
	/** Whether there was a session to prompt. */
	readonly hadSession: boolean;
	/** Whether the model was told to wrap up, and read it. */
	readonly wrappedUp: boolean;
	/** What was still running when the run was declared dead, if it was. */
	readonly dead: string | undefined;
}

/**
 * How a run ended, from its own messages: a provider failure is an error although `prompt()` resolves, and an answer
 * that was complete when a limit struck is a success.
 */
export function readOutcome(evidence: RunEvidence): AgentOutcome {
	const { cause, failure, transcript } = evidence;
	const neverStarted = !transcript.started;
	if (cause?.kind === "stopped") {
		return {
			status: "stopped",
			reason: cause.reason,
			...(evidence.dead === undefined ? {} : { detail: evidence.dead }),
			...(neverStarted ? { neverStarted } : {}),
		};
	}
	if (cause?.kind === "limit" && transcript.last?.stopReason !== "stop") {
		const unready = evidence.hadSession ? undefined : "its session was not ready yet";
		const more = evidence.dead ?? unready;
		const detail = more === undefined ? cause.detail : `${cause.detail}; ${more}`;
		const started = neverStarted ? { neverStarted } : {};
		return { status: "aborted", reason: cause.reason, detail, ...started };
	}
	if (failure !== undefined) {
		const reason = evidence.hadSession ? "failed" : "start_failed";
		const started = neverStarted ? { neverStarted } : {};
		return { status: "error", reason, detail: sentence(failure.message), ...started };
	}
	const outcome = fromLastMessage(transcript);
	return outcome.status === "completed" && evidence.wrappedUp
		? { status: "steered", reason: "turn_limit" }
		: outcome;
}

function fromLastMessage({ last, started }: RunTranscript): AgentOutcome {
	if (last === undefined) {
		const detail = "the session ended without a message of the model";
		return {
			status: "error",
			reason: "failed",
			detail,
			...(started ? {} : { neverStarted: true }),
		};
	}
	switch (last.stopReason) {
		case "error":
			return providerFailure(last.errorMessage);
		case "aborted":
			return { status: "stopped", reason: "program", detail: "aborted from outside the run" };
		case "length":
			return { status: "completed", reason: "output_limit" };
		default:
			break;
	}
	return { status: "completed", reason: last.text ? "finished" : "no_report" };
}

/** But not a refused connection, and nothing that is case-sensitive. */
const REFUSAL = /(?<!econn|connection )refus|(?<!case.)sensitive|safety|content.?filter/i;

function providerFailure(errorMessage: string | undefined): AgentOutcome {
	const detail = sentence(errorMessage?.trim() || "it gave no reason");
	// The hosts have no stop reason of their own for a refusal; the providers' words for it end up in the message.
	const refused = REFUSAL.test(detail);
	return { status: "error", reason: refused ? "refusal" : "provider_error", detail };
}

/** Without a full stop at its end, so that it can stand inside a sentence. */
function sentence(text: string): string {
	return text.trim().replace(/\.$/, "") || "unknown error";
}
