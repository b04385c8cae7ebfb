import { AgentManager } from "@pi-subagents/runner";
import { fakeClock, mockSession } from "@pi-subagents/test-helpers";
import { expect, test } from "vitest";
import { endedInTime } from "../src/ended-in-time.js";

/** An agent whose session does not stop when it is told to, and the way to end it. */
function deafAgent() {
	const clock = fakeClock();
	let end = (): void => {};
	const session = mockSession({ prompt: () => new Promise<void>((resolve) => (end = resolve)) });
	const manager = new AgentManager({ clock, createSession: async () => session });
	const interrupt = new AbortController();
	const task = { type: "t", description: "d", prompt: "p", context: undefined };
	const id = manager.spawn({ ...task, signal: interrupt.signal });
	return { clock, manager, id, interrupt, end: () => end() };
}

test("a run that ends is waited for, however long it takes", async () => {
	const { clock, manager, id, end } = deafAgent();
	const over = endedInTime(id, manager, clock, new AbortController().signal);
	await clock.advance(3_600_000);
	end();
	await clock.advance(0);
	expect(await over).toBe(true);
	expect(clock.pendingTimers).toBe(0);
});

test("who is interrupted does not wait for a run that does not stop (ABORT-01)", async () => {
	const { clock, manager, id, interrupt } = deafAgent();
	const over = endedInTime(id, manager, clock, interrupt.signal);
	await clock.advance(0);
	interrupt.abort();
	await clock.advance(1500);
	expect(await over).toBe(false);
	expect(manager.getRecord(id)?.status).toBe("stopped");
});
