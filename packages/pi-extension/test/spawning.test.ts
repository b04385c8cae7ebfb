import { fakeClock } from "@pi-subagents/test-helpers";
import { expect, test } from "vitest";
import type { SpawningEvent, SpawnRequest } from "../src/service/events.js";
import { askExtensions } from "../src/spawning.js";

const REQUEST: SpawnRequest = {
	type: "worker",
	description: "d",
	prompt: "p",
	cwd: "/",
	model: "p/m",
	isolation: "none",
	background: false,
	depth: 1,
	parentSessionId: "s",
};

function ask(handle: (event: SpawningEvent) => void, signal?: AbortSignal) {
	const clock = fakeClock();
	const bus = { emit: (_: string, event: unknown) => handle(event as SpawningEvent) };
	return { clock, answer: askExtensions(bus, REQUEST, { seconds: 5, clock, signal }) };
}

test("nobody objects", async () => {
	expect(await ask(() => {}).answer).toBeUndefined();
	expect(await ask((event) => event.waitUntil(Promise.resolve())).answer).toBeUndefined();
});

test("the first reason counts, and an empty one is said to be none", async () => {
	const twice = ask((event) => {
		event.veto("first");
		event.veto("second");
	});
	expect(await twice.answer).toBe("first");
	expect(await ask((event) => event.veto(" ")).answer).toBe("no reason was given");
});

test("a decision may lead to another one", async () => {
	const { answer } = ask((event) => {
		const again = Promise.resolve().then(() => {
			event.waitUntil(Promise.resolve().then(() => event.veto("in the end")));
		});
		event.waitUntil(again);
	});
	expect(await answer).toBe("in the end");
});

test("who takes too long, or fails, has not allowed it", async () => {
	const { clock, answer } = ask((event) => event.waitUntil(new Promise(() => {})));
	await clock.advance(5000);
	expect(await answer).toBe("an extension did not decide within 5 seconds");
	const failing = ask((event) => event.waitUntil(Promise.reject(new Error("no policy"))));
	expect(await failing.answer).toBe("the extension that decides failed: no policy");
});

test("an interrupted call waits for nobody", async () => {
	const controller = new AbortController();
	const { answer } = ask((event) => event.waitUntil(new Promise(() => {})), controller.signal);
	controller.abort();
	expect(await answer).toBe("the call was interrupted");
});
