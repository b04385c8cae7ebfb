import { getEventListeners } from "node:events";
import type { SubagentSession, Workspace, WorkspaceEnd } from "@pi-subagents/core";
import {
	type FakeClock,
	fakeClock,
	type ModelServer,
	mockSession,
	startModelServer,
} from "@pi-subagents/test-helpers";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type RunOptions, type RunResult, runAgent } from "../src/index.js";
import { type Deferred, deferred, promisesSettled } from "./deferred.js";
import { emitTurn, hostLikeSession } from "./host-like-session.js";
import { realSession, scripted, tool } from "./real-agent.js";

let server: ModelServer;
beforeAll(async () => {
	server = await startModelServer();
});
afterEach(() => server.reset());
afterAll(() => server.close());

let clock: FakeClock;
let controller: AbortController;
beforeEach(() => {
	clock = fakeClock();
	controller = new AbortController();
});

const STOPPED_FIRST = { status: "stopped", reason: "user", neverStarted: true };

function run(options: Pick<RunOptions, "createSession"> & Partial<RunOptions>): Promise<RunResult> {
	return runAgent({ prompt: "task", signal: controller.signal, clock, ...options });
}

describe("a run that is stopped before its session is there", () => {
	test("makes nothing if its signal was aborted before", async () => {
		controller.abort("user");
		const made: string[] = [];
		const result = await run({
			prepareWorkspace: () => Promise.reject(new Error(`made ${made.push("workspace")}`)),
			createSession: () => Promise.reject(new Error(`made ${made.push("session")}`)),
		});
		expect(result.outcome).toEqual(STOPPED_FIRST);
		expect(result).toMatchObject({ text: "", turns: 0, unreadMessages: [], unresponsive: false });
		expect(made).toEqual([]);
	});

	test("ends while its workspace is prepared, and gives the workspace back when it comes", async () => {
		const ends: WorkspaceEnd[] = [];
		const prepared = deferred<Workspace>();
		let signal: AbortSignal | undefined;
		let sessions = 0;
		const result = run({
			prepareWorkspace(given) {
				signal = given;
				return prepared.promise;
			},
			createSession: async () => {
				sessions++;
				return mockSession();
			},
		});
		controller.abort("user");
		expect(signal?.aborted).toBe(true);
		expect((await result).outcome).toEqual(STOPPED_FIRST);
		prepared.resolve({
			cwd: "/tree",
			root: "/tree",
			notes: [],
			async finish(end) {
				ends.push(end);
				return { text: "", changed: false, problems: [] };
			},
		});
		await promisesSettled();
		expect(ends.map((end) => end.outcome)).toMatchObject([{ neverStarted: true }]);
		expect(sessions).toBe(0);
	});

	test("ends while its workspace is prepared, whatever becomes of that", async () => {
		const prepared = deferred<Workspace>();
		const result = run({
			prepareWorkspace: () => prepared.promise,
			createSession: () => Promise.resolve(mockSession()),
		});
		controller.abort("user");
		prepared.reject(new Error("git failed"));
		expect((await result).outcome).toEqual(STOPPED_FIRST);
	});

	describe("ends while its session is made", () => {
		let made: Deferred<SubagentSession>;
		let result: Promise<RunResult>;
		let told: number;
		beforeEach(() => {
			made = deferred();
			told = 0;
			result = run({ createSession: () => made.promise, onSessionCreated: () => void told++ });
			controller.abort("user");
		});

		test("and disposes of the session when it comes, without a prompt", async () => {
			expect((await result).outcome).toEqual(STOPPED_FIRST);
			expect(await result).not.toHaveProperty("session");
			const session = mockSession();
			made.resolve(session);
			await promisesSettled();
			expect(session.calls).toEqual([{ method: "dispose" }]);
			expect([session.subscriberCount, told]).toEqual([0, 0]);
		});

		test("and does not mind if it never comes, or its disposal fails", async () => {
			expect((await result).outcome).toEqual(STOPPED_FIRST);
			const fail = (): never => {
				throw new Error("cannot dispose");
			};
			made.resolve(mockSession({ dispose: fail }));
			await promisesSettled();
		});

		test("and does not mind if making it fails in the end", async () => {
			made.reject(new Error("late failure"));
			expect((await result).outcome).toEqual(STOPPED_FIRST);
		});
	});

	test("finishes a workspace that was prepared already", async () => {
		const ends: WorkspaceEnd[] = [];
		const report = { text: "Nothing to keep.", changed: false, problems: [] };
		const result = await run({
			prepareWorkspace: async () => ({
				cwd: "/tree",
				root: "/tree",
				notes: [],
				async finish(end) {
					ends.push(end);
					return report;
				},
			}),
			createSession() {
				controller.abort("user");
				return new Promise(() => {});
			},
		});
		expect(result.workspace).toBe(report);
		expect(ends.map((end) => end.outcome)).toEqual([STOPPED_FIRST]);
	});

	test("is not prompted if it is stopped when the session is there", async () => {
		const session = mockSession();
		const result = await run({
			createSession: () => Promise.resolve(session),
			onSessionCreated: () => controller.abort("user"),
		});
		expect(result.outcome).toEqual(STOPPED_FIRST);
		expect(session.calls.map((call) => call.method)).toEqual(["abort"]);
		expect(result.session).toBe(session);
	});
});

test.each([
	["user", "user"],
	["program", "program"],
	["shutdown", "shutdown"],
	["parent", "parent"],
	[new Error("turn interrupted"), "parent"],
	[undefined, "parent"],
])("a signal that is aborted with %s says that it was stopped by %s", async (given, reason) => {
	controller.abort(given);
	const { outcome } = await run({ createSession: () => Promise.resolve(mockSession()) });
	expect(outcome).toMatchObject({ status: "stopped", reason });
});

describe("a run that is stopped while the agent works", () => {
	test("asks the model nothing if the agent has not started, though the session forgets the abort", async () => {
		const prompted = deferred();
		const gate = deferred();
		const session = await realSession(server);
		// As that of the coding agent, the prompt does something else before it starts the agent.
		const prompt = async (text: string): Promise<void> => {
			prompted.resolve();
			await gate.promise;
			await session.prompt(text);
		};
		const result = run({ createSession: async () => ({ ...session, prompt }) });
		await prompted.promise;
		controller.abort("user");
		await promisesSettled();
		gate.resolve();
		expect(await result).toMatchObject({
			outcome: { status: "stopped", reason: "user" },
			text: "",
			unresponsive: false,
		});
		expect(server.requests).toEqual([]);
	});

	test("keeps the text that was streamed", async () => {
		const prompt = scripted("report", [{ text: "The first half", hang: true }]);
		const session = await realSession(server);
		const result = run({ prompt, createSession: () => Promise.resolve(session) });
		const streamed = new Promise<void>((resolve) => {
			session.subscribe((event) => {
				if (event.type === "message_update") resolve();
			});
		});
		const request = await server.waitForRequest(() => true);
		await streamed;
		controller.abort("user");
		expect(await result).toMatchObject({
			outcome: { status: "stopped", reason: "user" },
			text: "The first half",
			unresponsive: false,
		});
		await request.ended;
		expect(request.aborted).toBe(true);
		expect(server.requests.length).toBe(1);
	});

	test("ends a request whose answer has not begun", async () => {
		const prompt = scripted("report", [{ hold: "never" }]);
		const result = run({ prompt, createSession: () => realSession(server) });
		const request = await server.waitForRequest(() => true);
		controller.abort("parent");
		expect((await result).outcome).toEqual({ status: "stopped", reason: "parent" });
		await request.ended;
		expect(request.aborted).toBe(true);
	});

	test("ends the tool that runs, and asks the model nothing more", async () => {
		const started = deferred();
		let ended = false;
		const sleep = tool("sleep", (signal) => {
			started.resolve();
			return new Promise((_, reject) =>
				signal?.addEventListener("abort", () => {
					ended = true;
					reject(new Error("interrupted"));
				}),
			);
		});
		const prompt = scripted("wait", [{ text: "sleeping", tools: [{ name: "sleep" }] }]);
		const result = run({ prompt, createSession: () => realSession(server, [sleep]) });
		await started.promise;
		controller.abort("user");
		expect(await result).toMatchObject({
			outcome: { status: "stopped", reason: "user" },
			text: "sleeping",
			unresponsive: false,
		});
		expect(ended).toBe(true);
		expect(server.requests.length).toBe(1);
		expect(clock.pendingTimers).toBe(0);
	});

	test("is given up after the grace time if a tool ignores its signal, and says so (ABORT-04)", async () => {
		const started = deferred();
		const stuck = deferred<string>();
		const deaf = tool("deaf", () => {
			started.resolve();
			return stuck.promise;
		});
		const prompt = scripted("wait", [{ text: "on it", tools: [{ name: "deaf" }] }]);
		const session = await realSession(server, [deaf]);
		let over = false;
		const result = run({ prompt, createSession: () => Promise.resolve(session) });
		void result.then(() => {
			over = true;
		});
		await started.promise;
		controller.abort("user");
		await clock.advance(4999);
		expect(over).toBe(false);
		await clock.advance(1);
		expect(await result).toMatchObject({
			outcome: {
				status: "stopped",
				reason: "user",
				detail: "deaf still ran 5 seconds after it was told to stop, so it was given up",
			},
			text: "on it",
			unresponsive: true,
		});
		expect(clock.pendingTimers).toBe(0);
		stuck.resolve("too late");
		await session.agent.waitForIdle();
		expect(server.requests.length).toBe(1);
	});

	test("is given up after the grace time that was asked for", async () => {
		const session = hostLikeSession(() => new Promise(() => {}));
		const result = run({ createSession: async () => session, graceSeconds: 2 });
		await promisesSettled();
		controller.abort("user");
		await clock.advance(2000);
		expect((await result).outcome).toEqual({
			status: "stopped",
			reason: "user",
			detail: "it still ran 2 seconds after it was told to stop, so it was given up",
		});
		await promisesSettled();
		expect([session.subscriberCount, clock.pendingTimers]).toEqual([0, 0]);
	});

	test("is given up if a limit ended it and it does not stop", async () => {
		const session = hostLikeSession(() => new Promise(() => {}));
		const result = run({ createSession: async () => session, limits: { maxSeconds: 60 } });
		await clock.advance(65_000);
		expect(await result).toMatchObject({
			outcome: {
				status: "aborted",
				reason: "time_limit",
				detail: "60 seconds; it still ran 5 seconds after it was told to stop, so it was given up",
			},
			unresponsive: true,
		});
	});

	test("is not asked again for a message that it has not read, which is reported", async () => {
		const session = hostLikeSession(async ({ signal }) => {
			await session.steer("and the tests");
			await new Promise((resolve) => signal.addEventListener("abort", resolve));
			return { stopReason: "aborted" };
		});
		const result = run({ createSession: async () => session });
		await promisesSettled();
		controller.abort("user");
		expect((await result).unreadMessages).toEqual(["and the tests"]);
		expect(session.asked).toBe(1);
		expect(session.clearQueue?.().steering).toEqual([]);
	});

	test("is not asked again either if somebody else aborts the session", async () => {
		const session = hostLikeSession([], {
			async prompt(self) {
				emitTurn(self, { stopReason: "aborted", text: "half" });
				await self.steer("and the tests");
			},
		});
		expect(await run({ createSession: async () => session })).toMatchObject({
			outcome: { status: "stopped", reason: "program" },
			text: "half",
			unreadMessages: ["and the tests"],
		});
	});

	test("stops a compaction before and after the agent, as 0.73.1 needs it", async () => {
		const calls: string[] = [];
		const session = mockSession({
			abort(self) {
				calls.push("agent");
				self.finishPrompt();
			},
			members: { abortCompaction: () => void calls.push("compaction") },
		});
		const result = run({ createSession: async () => session });
		await promisesSettled();
		controller.abort("user");
		await result;
		await promisesSettled();
		expect(calls).toEqual(["compaction", "agent", "compaction"]);
	});

	test("does not mind a session that cannot be aborted", async () => {
		const fail = (): never => {
			throw new Error("cannot abort");
		};
		const sessions = [
			mockSession({ abort: fail }),
			Object.assign(mockSession(), { abort: fail }),
			mockSession({ members: { abortCompaction: fail }, abort: () => new Promise(() => {}) }),
		];
		for (const session of sessions) {
			controller = new AbortController();
			const result = run({ createSession: async () => session });
			await promisesSettled();
			controller.abort("user");
			await clock.advance(5000);
			expect(await result).toMatchObject({ outcome: { status: "stopped" }, unresponsive: true });
		}
	});
});

test("a signal that is aborted after the run changes nothing, and nobody listens to it", async () => {
	const session = hostLikeSession([{ text: "done" }]);
	const result = await run({ createSession: async () => session });
	expect(getEventListeners(controller.signal, "abort")).toEqual([]);
	controller.abort("user");
	await promisesSettled();
	expect(result.outcome.status).toBe("completed");
	expect(session.calls.map((call) => call.method)).toEqual(["prompt"]);
});
