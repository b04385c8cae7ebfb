import { readdirSync } from "node:fs";
import { type HostEvent, type SessionEvent, toSessionEvent } from "@pi-subagents/core";
import { describe, expect, test } from "vitest";
import { loadTrace, mockSession, replayTrace, type TraceHost, traceNames } from "../src/index.js";

const HOSTS: readonly TraceHost[] = ["0.73.1", "1.6.0"];

describe.each(HOSTS)("the traces of %s", (host) => {
	test("are all listed", () => {
		const files = readdirSync(new URL(`../traces/${host}`, import.meta.url));
		const names = files.map((file) => file.replace(".jsonl", "")).sort();
		expect(names).toEqual(traceNames(host));
	});

	test.each(traceNames(host))("%s has events, first of all a start", (name) => {
		const { events } = loadTrace(host, name);
		expect(["agent_start", "queue_update", "message_start"]).toContain(events[0]?.type);
		expect(known(events, "message_end").length).toBeGreaterThan(0);
	});
});

test("a replayed trace reaches the subscribers event by event", () => {
	const session = mockSession();
	const heard: HostEvent[] = [];
	session.subscribe((event) => heard.push(event));
	const trace = loadTrace("1.6.0", "plain");
	replayTrace(session, trace);
	expect(heard).toEqual(trace.events);
});

test("parallel tools end in the order of their completion", () => {
	for (const host of HOSTS) {
		const { events } = loadTrace(host, "tools-parallel");
		const started = known(events, "tool_execution_start").map((event) => event.toolName);
		const ended = known(events, "tool_execution_end").map((event) => event.toolName);
		expect(started).toEqual(["bash", "read"]);
		expect(ended).toEqual(["read", "bash"]);
	}
});

test("every load has events of its own", () => {
	expect(loadTrace("0.73.1", "plain").events[0]).not.toBe(loadTrace("0.73.1", "plain").events[0]);
});

test("a trace that was not recorded is refused with where to look", () => {
	// @ts-expect-error there is no such trace
	expect(() => loadTrace("0.73.1", "nothing")).toThrow(
		'There is no trace "nothing" of host 0.73.1',
	);
});

function known<T extends SessionEvent["type"]>(
	events: readonly HostEvent[],
	type: T,
): Extract<SessionEvent, { type: T }>[] {
	return events
		.map(toSessionEvent)
		.filter((event): event is Extract<SessionEvent, { type: T }> => event?.type === type);
}
