import fc from "fast-check";
import { expect, test } from "vitest";
import { fakeClock } from "../src/index.js";

test("time stands still until it is advanced", async () => {
	const clock = fakeClock(1000);
	expect(clock.now()).toBe(1000);
	await clock.advance(250);
	expect(clock.now()).toBe(1250);
});

test("timers run at their time, those of the same time in the order in which they were set", async () => {
	const clock = fakeClock();
	const ran: string[] = [];
	const note = (name: string) => () => void ran.push(`${name} at ${clock.now()}`);
	clock.setTimeout(note("late"), 30);
	clock.setTimeout(note("first"), 10);
	clock.setTimeout(note("second"), 10);
	await clock.advance(29);
	expect(ran).toEqual(["first at 10", "second at 10"]);
	await clock.advance(1);
	expect(ran).toEqual(["first at 10", "second at 10", "late at 30"]);
	expect(clock.pendingTimers).toBe(0);
});

test("a cancelled timer does not run", async () => {
	const clock = fakeClock();
	let ran = false;
	const cancel = clock.setTimeout(() => {
		ran = true;
	}, 10);
	cancel();
	cancel();
	await clock.advance(10);
	expect(ran).toBe(false);
	expect(clock.pendingTimers).toBe(0);
});

test("a timer that a timer or what waits for it sets runs in the same advance if it is due", async () => {
	const clock = fakeClock();
	const times: number[] = [];
	const sleep = (ms: number) => new Promise<void>((resolve) => void clock.setTimeout(resolve, ms));
	const loop = (async () => {
		for (let round = 0; round < 3; round++) {
			await sleep(10);
			times.push(clock.now());
		}
	})();
	await clock.advance(30);
	await loop;
	expect(times).toEqual([10, 20, 30]);
});

test("what a timer throws rejects the advance", async () => {
	const clock = fakeClock();
	clock.setTimeout(() => {
		throw new Error("broken timer");
	}, 5);
	await expect(clock.advance(10)).rejects.toThrow("broken timer");
	expect(clock.now()).toBe(5);
});

test("any timers run once, in the order of their times, however the time is advanced", async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.array(fc.nat(50), { maxLength: 20 }),
			fc.array(fc.nat(20), { maxLength: 5 }),
			async (delays, steps) => {
				const clock = fakeClock();
				const ran: number[] = [];
				for (const delay of delays) clock.setTimeout(() => ran.push(clock.now()), delay);
				for (const step of [...steps, 50]) await clock.advance(step);
				expect(ran).toEqual([...delays].sort((a, b) => a - b));
			},
		),
		{ numRuns: 50 },
	);
});
