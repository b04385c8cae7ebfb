import { describe, expect, test } from "vitest";
import { AGENT_STATUSES, canTransition, isTerminal } from "../src/index.js";

const NEXT = {
	queued: ["running", "stopped", "error"],
	running: ["completed", "steered", "aborted", "stopped", "error"],
	completed: ["queued", "running"],
	steered: ["queued", "running"],
	aborted: ["queued", "running"],
	stopped: ["queued", "running"],
	error: ["queued", "running"],
};

test("the statuses are the seven that people know, and cannot be changed", () => {
	expect(AGENT_STATUSES).toEqual(Object.keys(NEXT));
	expect(Object.isFrozen(AGENT_STATUSES)).toBe(true);
});

describe.each(AGENT_STATUSES)("%s", (from) => {
	test.each(AGENT_STATUSES)(`leads to %s only if the table says so`, (to) => {
		expect(canTransition(from, to)).toBe(NEXT[from].includes(to));
	});

	test("is terminal unless the agent waits or runs", () => {
		expect(isTerminal(from)).toBe(!["queued", "running"].includes(from));
	});
});
