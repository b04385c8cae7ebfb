import { AgentManager } from "@pi-subagents/runner";
import { fakeClock, type MockSession, mockSession } from "@pi-subagents/test-helpers";
import { expect, test } from "vitest";
import { createActivityStore } from "../src/ui/activity-store.js";

test("whoever draws is told at most ten times a second, once a second in silence, and never when all have ended (UI-03)", async () => {
	const clock = fakeClock();
	const sessions: MockSession[] = [];
	let end = (): void => {};
	const manager = new AgentManager({
		createSession: async () =>
			mockSession({
				prompt(session) {
					sessions.push(session);
					return new Promise((resolve) => {
						end = resolve;
					});
				},
			}),
		clock,
	});
	const store = createActivityStore(manager, clock);
	let told = 0;
	store.subscribe(() => told++);
	const id = manager.spawn({
		type: "general-purpose",
		description: "write",
		prompt: "Write.",
		context: undefined,
		background: true,
	});
	await clock.advance(1000);

	told = 0;
	const message = { role: "assistant", content: [] };
	for (let delta = 0; delta < 60; delta++) {
		sessions[0]?.emit({
			type: "message_update",
			message,
			assistantMessageEvent: { type: "text_delta", delta: "word " },
		});
		await clock.advance(1000 / 60);
	}
	expect(told).toBeGreaterThan(5);
	expect(told).toBeLessThanOrEqual(10);

	await clock.advance(1000);
	told = 0;
	await clock.advance(10_000);
	expect(told).toBeGreaterThanOrEqual(8);
	expect(told).toBeLessThanOrEqual(11);

	end();
	await manager.wait(id);
	// The end itself is still drawn.
	told = 0;
	await clock.advance(100);
	expect(told).toBe(1);
	await clock.advance(60_000);
	expect(told).toBe(1);
	store.stop();
	await manager.dispose();
});
