// The types of a host fit our ports. The packages below are those of 0.73.1; a tsconfig whose `paths` lead to the
// `@earendil-works` packages checks the same file against 1.6.0. Only types are imported: core needs no host to run.
import type { Agent, AgentEvent, AgentMessage } from "@mariozechner/pi-agent-core";
import type { AgentSession, AgentSessionEvent } from "@mariozechner/pi-coding-agent";
import { describe, expectTypeOf, test } from "vitest";
import type {
	HostUsage,
	ObservableSession,
	SessionEvents,
	SessionMessage,
	SubagentSession,
} from "../src/index.js";

/** The names of the events in `Event` that are there, but cannot be read as ours. */
type Misfits<Event extends { type: string }> = {
	[Type in keyof SessionEvents]: Extract<Event, { type: Type }> extends SessionEvents[Type]
		? never
		: Type;
}[keyof SessionEvents];

/** Events that no host sends. */
type OwnEvents = "waiting_start" | "waiting_end";

/** The names of our other events that `Event` does not have. */
type Missing<Event extends { type: string }> = Exclude<
	keyof SessionEvents,
	Event["type"] | OwnEvents
>;

type AssistantUsage = Extract<AgentMessage, { role: "assistant" }>["usage"];

describe("the host's coding agent", () => {
	test("has sessions that fit", () => {
		expectTypeOf<AgentSession>().toExtend<SubagentSession>();
		expectTypeOf<AgentSession>().toExtend<ObservableSession>();
	});

	test("has all our events, and they fit", () => {
		expectTypeOf<Missing<AgentSessionEvent>>().toBeNever();
		expectTypeOf<Misfits<AgentSessionEvent>>().toBeNever();
	});
});

describe("the host's agent", () => {
	test("can be observed like a session", () => {
		expectTypeOf<Agent>().toExtend<ObservableSession>();
		expectTypeOf<Agent>().toExtend<NonNullable<SubagentSession["agent"]>>();
	});

	test("has our events except those of compaction and retries, and they fit", () => {
		expectTypeOf<Missing<AgentEvent>>().toEqualTypeOf<
			"compaction_start" | "compaction_end" | "auto_retry_start" | "auto_retry_end"
		>();
		expectTypeOf<Misfits<AgentEvent>>().toBeNever();
	});

	test("has messages and usage that fit", () => {
		expectTypeOf<AgentMessage>().toExtend<SessionMessage>();
		expectTypeOf<AssistantUsage>().not.toBeNever();
		expectTypeOf<AssistantUsage>().toExtend<HostUsage>();
	});
});
