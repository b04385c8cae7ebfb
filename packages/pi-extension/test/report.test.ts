import { createTestRecord } from "@pi-subagents/test-helpers";
import { describe, expect, test } from "vitest";
import { renderNotification } from "../src/delivery/notification.js";
import { reportText } from "../src/report.js";

const LASTING = "Another try would fail in the same way";

function failed(id: string, detail: string) {
	const outcome = { status: "error", reason: "provider_error", detail } as const;
	return createTestRecord({ id, status: "error", outcome, error: detail, result: "so far" });
}

describe("the report of an agent whose provider failed", () => {
	test.each(["401 invalid api key", "402 payment required", "429 insufficient_quota"])(
		"tells the parent not to try again: %s (CONC-07)",
		(detail) => {
			const text = reportText(failed("a1", detail), 0);
			expect(text).toMatch(/^agent_id: a1\n/);
			expect(text).toContain(detail);
			expect(text).toContain(LASTING);
			expect(text).toContain("Partial text, not a finished report:\n\nso far");
		},
	);

	test.each(["503 overloaded", "429 slow down", "the connection was lost"])(
		"says no more than that if another try may help: %s",
		(detail) => {
			expect(reportText(failed("a1", detail), 0)).not.toContain(LASTING);
		},
	);
});

test("a notification counts those that failed, and calls none of them completed (CONC-09)", () => {
	const records = [
		createTestRecord({ id: "a1" }),
		failed("a2", "402 quota used up"),
		failed("a3", "402 quota used up"),
	];
	const { content } = renderNotification(records, 0, () => ({ unreadMessages: [] }));
	expect(content).toMatch(/^3 background agents have ended, 2 of them with an error\.\n/);
	expect(content.match(/: the model provider failed: 402 quota used up/g)).toHaveLength(2);
	expect(content.match(/: completed/g)).toHaveLength(1);
});
