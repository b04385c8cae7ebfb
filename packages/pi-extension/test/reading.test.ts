import type { AgentRecord } from "@pi-subagents/core";
import { beforeEach, describe, expect, test } from "vitest";
import { Parent } from "./parent.js";

let parent: Parent;
beforeEach(() => {
	parent = new Parent({ stoppingMs: () => 100 });
	parent.running = true;
});

function only(): AgentRecord {
	const [record] = parent.agents;
	if (record === undefined) throw new Error("There is no agent.");
	return record;
}

describe("an agent that has not ended", () => {
	test("is known from the moment it was started (RESTART-05)", async () => {
		parent.spawn();
		expect(await parent.readNow("a1")).toMatch(/^agent_id: a1\nt "d": running/);
		for (let count = 0; count < 3; count++) parent.spawn();
		expect(await parent.readNow("a4")).toMatch(/^agent_id: a4\nt "d": queued/);
	});

	test("is told of in a few words, the last of which say not to poll (NOTIFY-10)", async () => {
		parent.spawn();
		await parent.clock.advance(0);
		for (let count = 0; count < 20; count++) {
			const text = await parent.readNow("a1");
			expect(text.length).toBeLessThan(150);
			expect(text).toMatch(/You are told when it ends; do not poll\.$/);
		}
	});

	test("is told of as well when the time to wait is over, or the waiting interrupted (ABORT-05)", async () => {
		parent.spawn();
		await parent.clock.advance(0);
		const timed = parent.readWithin("a1", 30);
		const interrupt = new AbortController();
		const interrupted = parent.readWithin("a1", 60, interrupt.signal);
		await parent.clock.advance(30_000);
		expect(await timed).toMatch(/^agent_id: a1\nt "d": running \(30s\)\. Now: thinking…\.\nYou/);
		interrupt.abort();
		expect(await interrupted).toMatch(/\nThe waiting was interrupted; a1 goes on\.\n/);
		expect(only().status).toBe("running");
		expect(parent.clock.pendingTimers).toBe(0);
		await parent.finish(only());
		await parent.settle(false);
		expect(parent.told).toEqual(["a1#1"]);
	});
});

test("waiting for an agent in the queue, and for one that was resumed, brings the text of that run (NOTIFY-09)", async () => {
	for (let count = 0; count < 4; count++) parent.spawn();
	await parent.clock.advance(0);
	const queued = parent.readWithin("a4", 0);
	for (const record of parent.agents) await parent.finish(record);
	expect(await queued).toMatch(/^agent_id: a4\nt "d": completed[^\n]*\n\ndone$/);
	const [, , , last] = parent.agents;
	if (last === undefined) throw new Error("There is no fourth agent.");
	parent.resume(last);
	await parent.clock.advance(0);
	const resumed = parent.readWithin("a4", 0);
	await parent.finish(last, "more is done");
	expect(await resumed).toMatch(/\n\nmore is done$/);
});

test("an agent that is stopped is read when its last text is there (STATUS-07, STATUS-09)", async () => {
	parent.spawn();
	await parent.clock.advance(0);
	parent.say(only(), "half of it");
	parent.stop(only());
	expect(only().status).toBe("stopped");
	const reading = parent.readNow("a1");
	await parent.clock.advance(100);
	expect(await reading).toMatch(
		/stopped by the user[^\n]*\n\nPartial text, not a finished report:\n\nhalf of it$/,
	);
});

test("a result is there as long as the session is, also after a restart (RESULT-12, RESTART-03)", async () => {
	parent.spawn();
	await parent.clock.advance(0);
	await parent.finish(only());
	await parent.clock.advance(86_400_000);
	expect(await parent.readNow("a1")).toMatch(/\n\ndone$/);
	await parent.reload();
	parent.running = true;
	expect(await parent.readNow("a1")).toMatch(/\n\ndone$/);
	await parent.crash();
	expect(await parent.readNow("a1")).toMatch(/\n\ndone$/);
});

test("an agent that a dead process leaves behind is interrupted, and holds no slot (RESTART-01)", async () => {
	for (let count = 0; count < 4; count++) parent.spawn();
	await parent.clock.advance(0);
	await parent.crash();
	expect(parent.agents.map(({ outcome }) => [outcome?.reason, outcome?.neverStarted])).toEqual([
		["interrupted", undefined],
		["interrupted", undefined],
		["interrupted", undefined],
		["interrupted", true],
	]);
	parent.spawn();
	await parent.clock.advance(0);
	expect(parent.agents.at(-1)?.status).toBe("running");
});
