import type { HostEvent, ObservableSession } from "@pi-subagents/core";
import { mockSession } from "@pi-subagents/test-helpers";
import { describe, expect, test } from "vitest";
import { listen } from "../src/index.js";

const START = { type: "agent_start" } as const;

describe("a listener", () => {
	test("hears the known events in order and no others", () => {
		const session = mockSession();
		const heard: string[] = [];
		listen(session, (event) => heard.push(event.type));
		session.emit({ type: "agent_start" });
		session.emit({ type: "queue_update", steering: [], followUp: [] });
		session.emit({ type: "turn_start" });
		expect(heard).toEqual(["agent_start", "turn_start"]);
	});

	test("that throws disturbs neither the session nor other listeners", () => {
		const session = mockSession();
		const errors: unknown[] = [];
		const heard: string[] = [];
		const failure = new Error("broken listener");
		listen(
			session,
			() => {
				throw failure;
			},
			(error) => errors.push(error),
		);
		listen(session, (event) => heard.push(event.type));
		session.emit(START);
		expect(errors).toEqual([failure]);
		expect(heard).toEqual(["agent_start"]);
	});

	test("may throw although nobody hears of it, or whoever does throws as well", () => {
		const session = mockSession();
		const fail = (): never => {
			throw new Error("broken");
		};
		listen(session, fail);
		listen(session, fail, fail);
		expect(() => session.emit(START)).not.toThrow();
	});

	test("is not called again after unsubscribing, and the session lets go of it", async () => {
		const session = mockSession();
		const heard: string[] = [];
		const stop = listen(session, (event) => heard.push(event.type));
		session.emit(START);
		stop();
		stop();
		session.emit(START);
		expect(heard).toEqual(["agent_start"]);
		await Promise.resolve();
		expect(session.subscriberCount).toBe(0);
	});

	test("that unsubscribes itself makes no other one miss the event", async () => {
		const session = mockSession();
		const heard: string[] = [];
		const stop = listen(session, () => {
			heard.push("first");
			stop();
		});
		session.subscribe(() => heard.push("second"));
		listen(session, () => heard.push("third"));
		session.emit(START);
		expect(heard).toEqual(["first", "second", "third"]);
		await Promise.resolve();
		session.emit(START);
		expect(heard).toEqual(["first", "second", "third", "second", "third"]);
	});

	test("that is unsubscribed by another one makes none miss the event", async () => {
		const session = mockSession();
		const heard: string[] = [];
		const stopFirst = listen(session, () => heard.push("first"));
		let stopLast = (): void => {};
		session.subscribe(() => {
			heard.push("second");
			stopFirst();
			stopLast();
		});
		session.subscribe(() => heard.push("third"));
		stopLast = listen(session, () => heard.push("last"));
		session.emit(START);
		expect(heard).toEqual(["first", "second", "third"]);
		await Promise.resolve();
		expect(session.subscriberCount).toBe(2);
	});

	test("that makes the session send an event may unsubscribe in the midst of it", async () => {
		const session = mockSession();
		const heard: string[] = [];
		const stop = listen(session, (event) => {
			heard.push(event.type);
			if (event.type === "agent_start") session.emit({ type: "turn_start" });
			stop();
		});
		session.subscribe((event) => heard.push(`other ${event.type}`));
		session.emit(START);
		expect(heard).toEqual(["agent_start", "turn_start", "other turn_start", "other agent_start"]);
		await Promise.resolve();
		expect(session.subscriberCount).toBe(1);
	});
});

test.each([null, undefined, 7, "agent_start", {}, { type: 1 }])(
	"an event that is none (%j) does not reach the listener, and the session does not notice",
	(event) => {
		const heard: unknown[] = [];
		let send = (_event: unknown): void => {};
		const session: ObservableSession = {
			subscribe(listener: (event: HostEvent) => void) {
				// A host is JavaScript; nothing keeps it from sending anything.
				send = listener as (event: unknown) => void;
				return () => {};
			},
		};
		listen(session, (known) => heard.push(known));
		expect(() => send(event)).not.toThrow();
		expect(heard).toEqual([]);
	},
);
