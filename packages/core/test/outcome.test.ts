import { describe, expect, test } from "vitest";
import { type AgentOutcome, describeOutcome, isFailure, isPartial } from "../src/index.js";

/** Every outcome there is: how it is told, whether it is a failure, whether its text is partial. */
const OUTCOMES: readonly (readonly [AgentOutcome, string, boolean, boolean])[] = [
	[{ status: "completed", reason: "finished" }, "completed", false, false],
	[
		{ status: "completed", reason: "output_limit" },
		"cut off at the model's output limit; the text is incomplete",
		false,
		true,
	],
	[{ status: "completed", reason: "no_report" }, "finished without a report", false, true],
	[
		{ status: "steered", reason: "turn_limit" },
		"turn limit reached, wrapped up in time",
		false,
		false,
	],
	[{ status: "aborted", reason: "turn_limit" }, "turn limit reached, cut off", false, true],
	[{ status: "aborted", reason: "time_limit" }, "time limit reached, cut off", false, true],
	[{ status: "aborted", reason: "token_limit" }, "token limit reached, cut off", false, true],
	[{ status: "aborted", reason: "cost_limit" }, "cost limit reached, cut off", false, true],
	[
		{ status: "aborted", reason: "tool_time_limit" },
		"a tool ran past its time limit, cut off",
		false,
		true,
	],
	[{ status: "aborted", reason: "stalled" }, "no progress for too long, cut off", false, true],
	[{ status: "stopped", reason: "user" }, "stopped by the user", false, true],
	[
		{ status: "stopped", reason: "turn_interrupted" },
		"stopped when the turn was interrupted",
		false,
		true,
	],
	[{ status: "stopped", reason: "parent" }, "stopped by the parent agent", false, true],
	[{ status: "stopped", reason: "program" }, "stopped by a program", false, true],
	[{ status: "stopped", reason: "shutdown" }, "stopped because the session ended", false, true],
	[
		{ status: "stopped", reason: "user", neverStarted: true },
		"stopped by the user before it started",
		false,
		true,
	],
	[
		{ status: "error", reason: "provider_error", detail: "400 bad request" },
		"the model provider failed: 400 bad request",
		true,
		true,
	],
	[{ status: "error", reason: "refusal" }, "the model refused", true, true],
	[
		{ status: "error", reason: "start_failed", detail: "no such model", neverStarted: true },
		"could not be started: no such model",
		true,
		true,
	],
	[{ status: "error", reason: "interrupted" }, "interrupted when the process ended", true, true],
	[{ status: "error", reason: "failed" }, "failed", true, true],
];

for (const [outcome, phrase, failure, partial] of OUTCOMES) {
	describe(`${outcome.status}, ${outcome.reason}${outcome.neverStarted ? ", never started" : ""}`, () => {
		test("is told in one phrase", () => {
			expect(describeOutcome(outcome)).toBe(phrase);
		});

		test("is a failure only if it is an error", () => {
			expect(isFailure(outcome)).toBe(failure);
		});

		test("has partial text unless the agent came to its end", () => {
			expect(isPartial(outcome)).toBe(partial);
		});
	});
}
