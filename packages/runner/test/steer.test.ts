import { messageText, toSessionEvent } from "@pi-subagents/core";
import {
	fakeClock,
	type ModelServer,
	mockSession,
	startModelServer,
} from "@pi-subagents/test-helpers";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { AgentLike } from "../src/agent-core.js";
import { createInbox, type Delivery, type RunResult, runAgent } from "../src/index.js";
import { deferred, promisesSettled } from "./deferred.js";
import { type HostLikeSession, hostLikeSession } from "./host-like-session.js";
import { realSession, scripted, tool } from "./real-agent.js";

let server: ModelServer;
beforeAll(async () => {
	server = await startModelServer();
});
afterEach(() => server.reset());
afterAll(() => server.close());

const read = tool("read", () => "contents");

describe("a message", () => {
	test("that is sent before the session is there is read in its first turn, in order (STEER-01)", async () => {
		const inbox = createInbox(["from the queue"]);
		const made = deferred<HostLikeSession>();
		expect(await inbox.send("before the run")).toBe("kept");
		const result = runAgent({ prompt: "task", inbox, createSession: () => made.promise });
		expect(await inbox.send("while it is made")).toBe("kept");
		const session = hostLikeSession([{ text: "done" }]);
		made.resolve(session);
		expect((await result).outcome.status).toBe("completed");
		const messages = ["from the queue", "before the run", "while it is made"];
		expect(session.read).toEqual(["task", ...messages]);
	});

	test("to a running agent is read after its tool calls", async () => {
		const inbox = createInbox();
		const look = tool("look", async () => {
			expect(await inbox.send("and the tests")).toBe("delivered");
			return "nothing";
		});
		const result = await runAgent({
			prompt: scripted("go", [{ tools: [{ name: "look" }] }, { text: "done" }]),
			inbox,
			createSession: () => realSession(server, [look]),
		});
		expect(result).toMatchObject({ text: "done", turns: 2, unreadMessages: [] });
		expect(server.requests.map((request) => request.lastUserText)).toEqual([
			server.requests[0]?.lastUserText,
			"and the tests",
		]);
	});

	test("to a run that is over is not accepted", async () => {
		const inbox = createInbox();
		const session = hostLikeSession([{ text: "done" }]);
		await runAgent({ prompt: "task", inbox, createSession: async () => session });
		expect(await inbox.send("too late")).toBe("closed");
		expect(session.calls.map((call) => call.method)).toEqual(["prompt"]);
	});

	test("that begins with a slash is no command, and is itself again if it was not read", async () => {
		const inbox = createInbox(["/first"]);
		const session = hostLikeSession(async () => {
			await inbox.send("/quit now");
			return { stopReason: "error", errorMessage: "503" };
		});
		const result = await runAgent({ prompt: "task", inbox, createSession: async () => session });
		expect(session.calls.filter((call) => call.method === "steer")).toEqual([
			{ method: "steer", text: " /first" },
			{ method: "steer", text: " /quit now" },
		]);
		expect(session.read).toEqual(["task"]);
		expect(result.unreadMessages).toEqual(["/first", "/quit now"]);
	});

	test("that the session does not take is not accepted, and the run goes on", async () => {
		const inbox = createInbox();
		const answers: Array<Promise<Delivery>> = [];
		const session = hostLikeSession(
			async () => {
				answers.push(inbox.send("hello"));
				await Promise.allSettled(answers);
				return { text: "done" };
			},
			{ steer: () => Promise.reject(new Error("The session is closed.")) },
		);
		const result = await runAgent({ prompt: "task", inbox, createSession: async () => session });
		await expect(answers[0]).rejects.toThrow("The session is closed.");
		expect(result).toMatchObject({ text: "done", unreadMessages: [] });
	});

	test("that was kept and is not taken by the session becomes a further prompt", async () => {
		const inbox = createInbox(["first", "second"]);
		const session = hostLikeSession([{ text: "one" }, { text: "two" }], {
			steer: () => Promise.reject(new Error("The agent is not running.")),
		});
		const result = await runAgent({ prompt: "task", inbox, createSession: async () => session });
		expect(session.read).toEqual(["task", "first\n\nsecond"]);
		expect(result).toMatchObject({ text: "two", unreadMessages: [] });
	});

	test("that an extension holds back for ever does not hold up the end of the run", async () => {
		const inbox = createInbox();
		const clock = fakeClock();
		const session = hostLikeSession(
			() => {
				void inbox.send("held back");
				return { text: "done" };
			},
			{ steer: () => new Promise(() => {}) },
		);
		const result = runAgent({ prompt: "task", inbox, clock, createSession: async () => session });
		await clock.advance(5000);
		expect(await result).toMatchObject({ outcome: { status: "completed" }, text: "done" });
		expect(clock.pendingTimers).toBe(0);
	});

	test("that was handed to a session which then hangs is reported with those behind it", async () => {
		const inbox = createInbox(["first", "second", "third"]);
		const clock = fakeClock();
		const controller = new AbortController();
		const taken: string[] = [];
		const session = mockSession({
			steer: (_, text) => (taken.length === 0 ? taken.push(text) : new Promise(() => {})),
			members: { clearQueue: () => ({ steering: taken.splice(0), followUp: [] }) },
		});
		const result = runAgent({
			prompt: "task",
			inbox,
			clock,
			signal: controller.signal,
			createSession: async () => session,
		});
		await promisesSettled();
		controller.abort();
		await clock.advance(5000);
		expect((await result).unreadMessages).toEqual(["first", "second", "third"]);
		expect(await inbox.send("fourth")).toBe("closed");
	});

	test("of any length and many of them are read once each", async () => {
		const messages = Array.from({ length: 30 }, (_, index) => `${index} ${"x".repeat(2000)}`);
		const session = hostLikeSession([]);
		const inbox = createInbox(messages);
		await runAgent({ prompt: "task", inbox, createSession: async () => session });
		expect(session.read).toEqual(["task", ...messages]);
	});
});

/** When a message is sent: so many turns of the event loop and then of promises after the nth event of a type. */
interface Moment {
	readonly type: string;
	readonly nth: number;
	readonly turns: number;
	readonly microtasks: number;
}

const moment: fc.Arbitrary<Moment> = fc.record({
	type: fc.constantFrom("agent_start", "turn_start", "message_end", "turn_end", "agent_end"),
	nth: fc.nat(2),
	turns: fc.nat(2),
	microtasks: fc.nat(8),
});

interface Race {
	readonly rounds: number;
	readonly end: "answer" | "error" | "stop";
	readonly kept: number;
	readonly moments: readonly Moment[];
	/** When the run is stopped. */
	readonly stop: Moment;
}

const race: fc.Arbitrary<Race> = fc.record({
	rounds: fc.nat(2),
	end: fc.constantFrom("answer", "answer", "error", "stop"),
	kept: fc.nat(2),
	moments: fc.array(moment, { minLength: 1, maxLength: 4 }),
	stop: moment,
});

async function wait(at: Moment): Promise<void> {
	for (let turn = 0; turn < at.turns; turn++) await promisesSettled();
	for (let microtask = 0; microtask < at.microtasks; microtask++) await Promise.resolve();
}

/** Calls back at each moment, as far as it comes. */
function watchMoments(
	session: Pick<AgentLike, "subscribe">,
	moments: ReadonlyArray<readonly [Moment, () => void]>,
): void {
	const counts = new Map<string, number>();
	session.subscribe((event) => {
		const nth = counts.get(event.type) ?? 0;
		counts.set(event.type, nth + 1);
		for (const [at, callback] of moments) {
			if (at.type === event.type && at.nth === nth) void wait(at).then(callback);
		}
	});
}

/** Plays a race and checks what became of each message. */
async function play(
	{ kept, moments, stop, end }: Race,
	makeSession: () => Promise<HostLikeSession | Awaited<ReturnType<typeof realSession>>>,
	prompt: string,
): Promise<void> {
	const inbox = createInbox();
	const controller = new AbortController();
	const sent: Array<{ readonly text: string; readonly delivery: Promise<Delivery> }> = [];
	const send = (): void => {
		const text = `message ${sent.length}`;
		sent.push({ text, delivery: inbox.send(text) });
	};
	const readTexts: string[] = [];
	for (let index = 0; index < kept; index++) send();
	const result: RunResult = await runAgent({
		prompt,
		inbox,
		signal: controller.signal,
		createSession: makeSession,
		onSessionCreated(session) {
			session.subscribe((event) => {
				const known = toSessionEvent(event);
				if (known?.type !== "message_start" || known.message.role !== "user") return;
				readTexts.push(...messageText(known.message).split("\n\n"));
			});
			watchMoments(session, [
				...moments.map((at) => [at, send] as const),
				...(end === "stop" ? ([[stop, () => controller.abort("user")]] as const) : []),
			]);
		},
	});
	// Those that are still to come find the inbox closed.
	await wait({ type: "", nth: 0, turns: 4, microtasks: 0 });
	const deliveries = await Promise.all(sent.map(({ delivery }) => delivery));
	const accepted = sent.filter((_, index) => deliveries[index] !== "closed");
	const seen = readTexts.filter((text) => text.startsWith("message "));
	expect([...seen, ...result.unreadMessages]).toEqual(accepted.map(({ text }) => text));
	if (result.outcome.status === "completed") expect(result.unreadMessages).toEqual([]);
}

describe("a message that races with the end of the run is read, reported or refused, and in order (STEER-02)", () => {
	test("with the Agent of pi-agent-core", { timeout: 60_000 }, async () => {
		await fc.assert(
			fc.asyncProperty(race, async (given) => {
				server.reset();
				const steps = [
					...Array.from({ length: given.rounds }, () => ({ tools: [{ name: "read" }] })),
					given.end === "error" ? { error: { status: 400 } } : { text: "done" },
				];
				await play(given, () => realSession(server, [read]), scripted("go", steps));
			}),
			{ numRuns: 100 },
		);
	});

	test("with a session that takes its time to accept", { timeout: 60_000 }, async () => {
		await fc.assert(
			fc.asyncProperty(race, fc.nat(6), fc.boolean(), async (given, delay, before) => {
				const session = hostLikeSession(async ({ index }) => {
					await promisesSettled();
					if (index < given.rounds) return { tools: ["read"] };
					return given.end === "error" ? { stopReason: "error" } : { text: "done" };
				});
				const accept = session.steer;
				const slow = async (text: string): Promise<void> => {
					if (!before) await accept(text);
					for (let microtask = 0; microtask < delay; microtask++) await Promise.resolve();
					if (before) await accept(text);
				};
				const makeSession = async () => Object.assign(session, { steer: slow });
				await play(given, makeSession, "go");
			}),
			{ numRuns: 300 },
		);
	});
});
