import type { AgentRecord } from "@pi-subagents/core";
import { describe, expect, test } from "vitest";
import { Parent } from "./parent.js";

describe("deliveries", () => {
	test("an idle parent is woken when its agent ends (NOTIFY-02)", async () => {
		const parent = new Parent();
		parent.spawn();
		await parent.clock.advance(0);
		await parent.finish(parent.agents[0] as AgentRecord);
		expect(parent.told).toEqual(["a1#1"]);
		expect(parent.wakeUps).toBe(1);
	});

	test("agents that end soon after each other wake it once (NOTIFY-05)", async () => {
		const parent = new Parent();
		for (let index = 0; index < 3; index++) parent.spawn();
		await parent.clock.advance(0);
		for (const record of parent.agents) {
			await parent.finish(record);
			await parent.clock.advance(100);
		}
		expect(parent.told).toEqual(["a1#1", "a2#1", "a3#1"]);
		expect(parent.wakeUps).toBe(1);
	});

	test("an agent that goes on does not hold back for long those that have ended", async () => {
		const parent = new Parent();
		parent.spawn();
		parent.spawn();
		await parent.clock.advance(0);
		await parent.finish(parent.agents[0] as AgentRecord);
		expect(parent.told).toEqual([]);
		await parent.clock.advance(1500);
		expect(parent.told).toEqual(["a1#1"]);
	});

	test("many agents that end one after the other wake it once, however long that takes", async () => {
		const parent = new Parent();
		for (let index = 0; index < 10; index++) parent.spawn();
		await parent.clock.advance(0);
		for (const record of parent.agents) {
			await parent.finish(record);
			await parent.clock.advance(1400);
		}
		expect(parent.told).toHaveLength(10);
		expect(parent.wakeUps).toBe(1);
	});

	test("the first one of a long row waits for 15 seconds at most", async () => {
		const parent = new Parent();
		for (let index = 0; index < 14; index++) parent.spawn();
		await parent.clock.advance(0);
		for (const record of parent.agents.slice(0, 11)) {
			await parent.finish(record);
			await parent.clock.advance(1400);
		}
		expect(parent.told).toHaveLength(11);
		expect(parent.told[0]).toBe("a1#1");
	});

	test("a result that the parent read is not announced (NOTIFY-03)", async () => {
		const parent = new Parent();
		parent.running = true;
		parent.spawn();
		await parent.clock.advance(0);
		await parent.finish(parent.agents[0] as AgentRecord);
		parent.pull(parent.agents[0] as AgentRecord);
		await parent.comeToRest();
		expect(parent.told).toEqual(["a1#1"]);
		expect(parent.wakeUps).toBe(0);
	});

	test("an agent that is stopped before it started is told, too (STATUS-04)", async () => {
		const parent = new Parent();
		for (let index = 0; index < 4; index++) parent.spawn();
		parent.stop(parent.agents[3] as AgentRecord);
		await parent.comeToRest();
		expect(parent.told.toSorted()).toEqual(["a1#1", "a2#1", "a3#1", "a4#1"]);
	});

	test("a parent that runs is told when it comes to rest", async () => {
		const parent = new Parent();
		parent.running = true;
		parent.spawn();
		await parent.clock.advance(0);
		await parent.finish(parent.agents[0] as AgentRecord);
		expect(parent.told).toEqual([]);
		await parent.settle(false);
		expect(parent.told).toEqual(["a1#1"]);
	});
});
