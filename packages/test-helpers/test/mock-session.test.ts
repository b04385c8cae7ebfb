import type { HostEvent, ObservableSession, SubagentSession } from "@pi-subagents/core";
import { describe, expect, expectTypeOf, test } from "vitest";
import { type MockSession, mockSession } from "../src/index.js";

const START = { type: "agent_start" } as const;

/** Subscribes a listener that writes its name down, and does something the first time. */
function listen(
	session: MockSession,
	heard: string[],
	name: string,
	once?: () => void,
): () => void {
	let action = once;
	return session.subscribe(() => {
		heard.push(name);
		const now = action;
		action = undefined;
		now?.();
	});
}

describe("emit", () => {
	test("every subscriber gets the very event, in the order of subscription", () => {
		const session = mockSession();
		const heard: HostEvent[] = [];
		session.subscribe((event) => heard.push(event));
		session.subscribe((event) => heard.push(event));
		session.emit(START);
		expect(heard).toEqual([START, START]);
		expect(heard[0]).toBe(START);
	});

	test("a subscriber that unsubscribes while it is called makes the next one miss the event", () => {
		const session = mockSession();
		const heard: string[] = [];
		const off = listen(session, heard, "first", () => off());
		listen(session, heard, "second");
		listen(session, heard, "third");
		session.emit(START);
		expect(heard).toEqual(["first", "third"]);
		session.emit(START);
		expect(heard).toEqual(["first", "third", "second", "third"]);
	});

	test("a subscriber that comes while an event is delivered gets that event", () => {
		const session = mockSession();
		const heard: string[] = [];
		listen(session, heard, "first", () => listen(session, heard, "late"));
		session.emit(START);
		expect(heard).toEqual(["first", "late"]);
	});

	test("what a subscriber throws reaches the caller, and later subscribers miss the event", () => {
		const session = mockSession();
		const heard: string[] = [];
		session.subscribe(() => {
			throw new Error("broken listener");
		});
		listen(session, heard, "second");
		expect(() => session.emit(START)).toThrow("broken listener");
		expect(heard).toEqual([]);
	});

	test("known events are checked, unknown ones and additional members are free", () => {
		const session = mockSession();
		session.emit({ type: "agent_settled", aborted: false });
		session.emit({ type: "message_end", message: { role: "user", content: "hi", timestamp: 1 } });
		// @ts-expect-error a message_end has a message
		session.emit({ type: "message_end" });
		// @ts-expect-error the call id is a string
		session.emit({ type: "tool_execution_start", toolCallId: 1, toolName: "read", args: {} });
	});
});

describe("subscribers", () => {
	test("are counted until they unsubscribe, which may be done twice", () => {
		const session = mockSession();
		const listener = (): void => undefined;
		const off = session.subscribe(listener);
		session.subscribe(() => undefined);
		expect(session.subscribers[0]).toBe(listener);
		expect(session.subscriberCount).toBe(2);
		off();
		off();
		expect(session.subscriberCount).toBe(1);
	});

	test("are gone after dispose", async () => {
		const session = mockSession();
		session.subscribe(() => undefined);
		await session.dispose();
		expect(session.subscriberCount).toBe(0);
	});
});

describe("prompt", () => {
	test("waits until the test finishes it", async () => {
		const session = mockSession();
		const prompt = session.prompt("go", { expandPromptTemplates: false });
		expect(session.isStreaming).toBe(true);
		session.finishPrompt();
		await prompt;
		expect(session.isStreaming).toBe(false);
		expect(session.calls).toEqual([
			{ method: "prompt", text: "go", options: { expandPromptTemplates: false } },
		]);
	});

	test("rejects with what the test says", async () => {
		const session = mockSession();
		const prompt = session.prompt("go");
		session.failPrompt(new Error("no model"));
		await expect(prompt).rejects.toThrow("no model");
		expect(() => session.finishPrompt()).toThrow("No prompt waits");
	});

	test("plays its script, which emits events on the session", async () => {
		const session = mockSession({
			prompt(playing, text) {
				playing.emit({ type: "message_start", message: { role: "user", content: text } });
			},
		});
		const types: string[] = [];
		session.subscribe((event) => types.push(event.type));
		await session.prompt("go");
		expect(types).toEqual(["message_start"]);
	});

	test("rejects with what its script throws", async () => {
		const session = mockSession({
			prompt() {
				throw new Error("bad script");
			},
		});
		await expect(session.prompt("go")).rejects.toThrow("bad script");
		expect(session.isStreaming).toBe(false);
	});

	test("is refused while another one is going on", async () => {
		const session = mockSession();
		const first = session.prompt("one");
		await expect(session.prompt("two")).rejects.toThrow("already processing");
		session.finishPrompt();
		await first;
	});
});

describe("abort", () => {
	test("ends a prompt that waits, and waits for its end", async () => {
		const session = mockSession();
		const prompt = session.prompt("go");
		await session.abort();
		await prompt;
		expect(session.signal.aborted).toBe(true);
		expect(session.calls.map((call) => call.method)).toEqual(["prompt", "abort"]);
	});

	test("tells the script by the signal and waits for it", async () => {
		const order: string[] = [];
		const session = mockSession({
			prompt: (playing) =>
				new Promise((resolve) => {
					playing.signal.addEventListener("abort", () => {
						order.push("script told");
						resolve();
					});
				}),
		});
		const prompt = session.prompt("go").then(() => order.push("prompt ended"));
		await session.abort();
		await prompt;
		expect(order).toEqual(["script told", "prompt ended"]);
	});

	test("does nothing when nothing is going on", async () => {
		const session = mockSession();
		await session.abort();
		expect(session.signal.aborted).toBe(true);
	});

	test("the next prompt has a signal of its own", async () => {
		const session = mockSession();
		const first = session.prompt("one");
		await session.abort();
		await first;
		const second = session.prompt("two");
		expect(session.signal.aborted).toBe(false);
		session.finishPrompt();
		await second;
	});
});

test("steering is recorded and fails as the test says", async () => {
	const session = mockSession({
		steer(_session, text) {
			if (text === "bad") throw new Error("cannot steer");
			return "queued";
		},
	});
	expect(await session.steer("left")).toBe("queued");
	await expect(session.steer("bad")).rejects.toThrow("cannot steer");
	expect(session.calls).toEqual([
		{ method: "steer", text: "left" },
		{ method: "steer", text: "bad" },
	]);
});

test("members that only some hosts have are taken over live", () => {
	let compacting = false;
	const session = mockSession({
		members: {
			sessionFile: "/tmp/s.jsonl",
			get isCompacting() {
				return compacting;
			},
		},
	});
	expect(session.sessionFile).toBe("/tmp/s.jsonl");
	expect(session.isCompacting).toBe(false);
	compacting = true;
	expect(session.isCompacting).toBe(true);
	expect("waitForIdle" in session).toBe(false);
});

test("a mocked session is a session", () => {
	expectTypeOf<MockSession>().toExtend<SubagentSession>();
	expectTypeOf<MockSession>().toExtend<ObservableSession>();
});
