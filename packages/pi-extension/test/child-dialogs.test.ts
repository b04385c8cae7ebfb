import { describe, expect, test } from "vitest";
import { createDialogTurns } from "../src/child/child-dialogs.js";

function deferred<T>() {
	let resolve = (_: T): void => {};
	const promise = new Promise<T>((done) => {
		resolve = done;
	});
	return { promise, resolve };
}

describe("turns of dialogs", () => {
	test("one is open at a time, in the order in which they were asked for (PERM-01)", async () => {
		const turns = createDialogTurns();
		const first = deferred<string>();
		const opened: string[] = [];
		const one = turns.take(() => {
			opened.push("one");
			return first.promise;
		}, "cancelled");
		const two = turns.take(async () => {
			opened.push("two");
			return "b";
		}, "cancelled");
		await Promise.resolve();
		await Promise.resolve();
		expect(opened).toEqual(["one"]);
		first.resolve("a");
		expect([await one, await two]).toEqual(["a", "b"]);
		expect(opened).toEqual(["one", "two"]);
	});

	test("one that fails does not hold up the next", async () => {
		const turns = createDialogTurns();
		const failed = turns.take(() => Promise.reject(new Error("broken")), "cancelled");
		await expect(failed).rejects.toThrow("broken");
		expect(await turns.take(async () => "next", "cancelled")).toBe("next");
	});

	test("one whose agent has ended is cancelled, open or waiting, and lets the next one open", async () => {
		const turns = createDialogTurns();
		const agent = new AbortController();
		const open = turns.take(() => new Promise<string>(() => {}), "cancelled", agent.signal);
		const waiting = turns.take(async () => "never", "cancelled", agent.signal);
		const other = turns.take(async () => "other", "cancelled");
		agent.abort();
		expect(await Promise.all([open, waiting, other])).toEqual(["cancelled", "cancelled", "other"]);
	});

	test("none opens when the session is gone", async () => {
		const turns = createDialogTurns();
		const open = turns.take(() => new Promise<boolean>(() => {}), false);
		turns.close();
		expect(await open).toBe(false);
		expect(await turns.take(async () => true, false)).toBe(false);
	});
});
