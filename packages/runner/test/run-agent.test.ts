import {
	isPartial,
	type SubagentSession,
	type Workspace,
	type WorkspaceEnd,
	type WorkspaceReport,
} from "@pi-subagents/core";
import { fakeClock, mockSession } from "@pi-subagents/test-helpers";
import { describe, expect, test } from "vitest";
import { type RunOptions, type RunResult, resumeAgent, runAgent } from "../src/index.js";
import { deferred, promisesSettled } from "./deferred.js";
import { emitDelta, emitTurn, hostLikeSession, type Turn } from "./host-like-session.js";

function run(session: SubagentSession, options: Partial<RunOptions> = {}): Promise<RunResult> {
	return runAgent({
		prompt: "task",
		createSession: () => Promise.resolve(session),
		clock: fakeClock(),
		...options,
	});
}

function runTurns(...turns: Turn[]): Promise<RunResult> {
	return run(hostLikeSession(turns));
}

describe("the text of a run", () => {
	test("is all text parts of the last message, whatever the first one is (RESULT-02)", async () => {
		const result = await runTurns({
			content: [
				{ type: "text", text: "" },
				{ type: "thinking", thinking: "hm" },
				{ type: "text", text: "ANSWER-1" },
				{ type: "text", text: "  " },
				{ type: "text", text: "ANSWER-2" },
			],
		});
		expect(result.text).toBe("ANSWER-1\n\nANSWER-2");
		expect(result.outcome).toEqual({ status: "completed", reason: "finished" });
	});

	test("is the whole message of a provider that does not stream (RESULT-05)", async () => {
		expect((await runTurns({ text: "All at once.", streamed: [] })).text).toBe("All at once.");
	});

	test("is the final message where the streamed pieces disagree (RESULT-05)", async () => {
		const result = await runTurns({ text: "The final text.", streamed: ["A ", "draft"] });
		expect(result.text).toBe("The final text.");
	});

	test("is what was streamed if the message never ended", async () => {
		const session = hostLikeSession([], {
			prompt(self) {
				emitTurn(self, { text: "before", tools: ["read"] });
				self.emit({ type: "turn_start" });
				self.emit({ type: "message_start", message: { role: "assistant" } });
				emitDelta(self, "half of ");
				emitDelta(self, "it");
				throw new Error("the host broke");
			},
		});
		const result = await run(session);
		expect(result.text).toBe("half of it");
		expect(result.outcome).toEqual({ status: "error", reason: "failed", detail: "the host broke" });
	});

	test("is empty if nothing was said in this run, whatever was said before it", async () => {
		const session = hostLikeSession([{ text: "The first answer." }, { text: "" }]);
		expect((await run(session)).text).toBe("The first answer.");
		const result = await resumeAgent(session, { prompt: "again" });
		expect(result.text).toBe("");
		expect(result.outcome).toEqual({ status: "completed", reason: "no_report" });
	});
});

describe("a run whose last message is an error", () => {
	test.each([undefined, "", "  "])(
		"with the message %j has a reason all the same (STATUS-03)",
		async (error) => {
			const failed = { stopReason: "error", ...(error !== undefined && { errorMessage: error }) };
			expect((await runTurns(failed)).outcome).toEqual({
				status: "error",
				reason: "provider_error",
				detail: "it gave no reason",
			});
		},
	);

	test.each([
		["Provider finish_reason: content_filter", "refusal"],
		["The model refused to answer.", "refusal"],
		["Blocked for SAFETY", "refusal"],
		["connect ECONNREFUSED 127.0.0.1:443", "provider_error"],
		["Connection refused", "provider_error"],
		["Model names are case-sensitive", "provider_error"],
		["503 overloaded", "provider_error"],
	])("%j is a %s", async (errorMessage, reason) => {
		const { outcome } = await runTurns({ stopReason: "error", errorMessage });
		expect(outcome).toMatchObject({ status: "error", reason });
	});
});

describe("a run that ends without a final message", () => {
	test("is an error, and what was said earlier is only partial (STATUS-03)", async () => {
		const session = hostLikeSession([], {
			prompt(self) {
				self.emit({ type: "turn_start" });
				emitTurn(self, { text: "looking now", tools: ["read"] });
				self.emit({ type: "turn_start" });
				self.emit({ type: "agent_end" });
			},
		});
		const result = await run(session);
		expect(result.outcome).toEqual({
			status: "error",
			reason: "failed",
			detail: "the session ended without a message of the model",
		});
		expect(result.text).toBe("looking now");
		expect(isPartial(result.outcome)).toBe(true);
	});

	test("or any turn never started", async () => {
		const { outcome } = await run(hostLikeSession([], { prompt() {} }));
		expect(outcome).toMatchObject({ status: "error", reason: "failed", neverStarted: true });
	});
});

test("a run that is aborted from outside is stopped, and its text is partial", async () => {
	const result = await runTurns({ text: "half", stopReason: "aborted" });
	expect(result.outcome).toMatchObject({ status: "stopped", reason: "program" });
	expect(result.text).toBe("half");
});

test("a run that a tool ends has finished with the text that came with the call", async () => {
	const session = hostLikeSession([], {
		prompt(self) {
			self.emit({ type: "turn_start" });
			emitTurn(self, { text: "Submitting.", tools: ["submit"] });
			self.emit({ type: "agent_end" });
		},
	});
	expect(await run(session)).toMatchObject({
		outcome: { status: "completed", reason: "finished" },
		text: "Submitting.",
	});
});

test("usage and turns are those of this run alone, retried attempts not counted as turns", async () => {
	const usage = { input: 100, output: 10, cost: { total: 0.5 } };
	const session = hostLikeSession([{ text: "one", usage }], {
		prompt(self) {
			emitTurn(self, { stopReason: "error", errorMessage: "503" });
			emitTurn(self, { text: "recovered", usage });
			self.emit({ type: "message_end", message: { role: "toolResult", usage } });
		},
	});
	const sum = { input: 100, output: 10, cacheRead: 0, cacheWrite: 0, cost: 0.5 };
	expect(await run(session)).toMatchObject({ turns: 1, usage: sum, text: "recovered" });
	expect(await run(session)).toMatchObject({ turns: 1, usage: sum });
});

describe("a run that fails", () => {
	test.each([
		["rejects", () => Promise.reject(new Error("No model is configured."))],
		[
			"throws",
			() => {
				throw new Error("No model is configured.");
			},
		],
	])("because createSession %s could not be started", async (_, createSession) => {
		const result = await runAgent({ prompt: "task", createSession });
		expect(result.outcome).toEqual({
			status: "error",
			reason: "start_failed",
			detail: "No model is configured",
			neverStarted: true,
		});
		expect(result).not.toHaveProperty("session");
	});

	test("because the prompt is rejected says what the host said", async () => {
		const session = mockSession();
		const result = run(session);
		await fakeClock().advance(0);
		session.failPrompt(new Error("No API key found for scripted."));
		expect((await result).outcome).toEqual({
			status: "error",
			reason: "failed",
			detail: "No API key found for scripted",
			neverStarted: true,
		});
	});

	test("because onSessionCreated throws is not prompted and hands over its session", async () => {
		const session = mockSession();
		const result = await run(session, {
			onSessionCreated() {
				throw new Error("The panel is full.");
			},
		});
		expect(result.outcome).toEqual({
			status: "error",
			reason: "failed",
			detail: "The panel is full",
			neverStarted: true,
		});
		expect(result.session).toBe(session);
		expect(session.calls).toEqual([]);
	});

	test("with something that is no error has a sentence, too", async () => {
		const { outcome } = await runAgent({
			prompt: "task",
			// oxlint-disable-next-line typescript/prefer-promise-reject-errors
			createSession: () => Promise.reject(""),
		});
		expect(outcome).toMatchObject({ reason: "start_failed", detail: "unknown error" });
	});
});

test.each([
	[{ maxTurns: -1 }, "maxTurns is -1; it must be a number of 0 or more (0: no limit)."],
	[
		{ maxSeconds: Number.NaN },
		"maxSeconds is NaN; it must be a number of 0 or more (0: no limit).",
	],
	[
		{ maxCost: Number.POSITIVE_INFINITY },
		"maxCost is Infinity; it must be a number of 0 or more (0: no limit).",
	],
])("the limits %j are refused before anything is made", async (limits, message) => {
	let made = 0;
	const createSession = () => {
		made++;
		return Promise.resolve(mockSession());
	};
	await expect(runAgent({ prompt: "task", limits, createSession })).rejects.toThrow(
		new RangeError(message),
	);
	expect(made).toBe(0);
});

test("the prompt is sent once and never expanded, and the session is left open and unsubscribed", async () => {
	const session = hostLikeSession([{ text: "done" }]);
	const clock = fakeClock();
	const seen: unknown[] = [];
	const limits = { maxTurns: 5, maxSeconds: 60, stallSeconds: 60, toolSeconds: 60 };
	const onSessionCreated = (made: SubagentSession) => seen.push(made, session.calls.length);
	const result = await run(session, { prompt: "/quit", clock, limits, onSessionCreated });
	const options = { expandPromptTemplates: false };
	expect(session.calls).toEqual([{ method: "prompt", text: "/quit", options }]);
	expect(seen).toEqual([session, 0]);
	expect(result.session).toBe(session);
	expect(session.subscriberCount).toBe(0);
	expect(clock.pendingTimers).toBe(0);
});

describe("a run with a workspace", () => {
	function workspace(finish: Workspace["finish"]): Workspace {
		return { cwd: "/tree/sub", root: "/tree", notes: [], finish };
	}
	const report = { text: "Kept on branch x.", changed: true, problems: [] };

	test("gets it before its session and finishes it with its outcome", async () => {
		const ends: WorkspaceEnd[] = [];
		const place = workspace(async (end) => {
			ends.push(end);
			return report;
		});
		let given: Workspace | undefined;
		const result = await runAgent({
			prompt: "task",
			description: "Fix the parser",
			prepareWorkspace: () => Promise.resolve(place),
			async createSession(start) {
				given = start.workspace;
				return hostLikeSession([{ text: "done" }]);
			},
		});
		expect(given).toBe(place);
		expect(ends).toEqual([
			{ outcome: { status: "completed", reason: "finished" }, description: "Fix the parser" },
		]);
		expect(result.workspace).toBe(report);
	});

	test("that cannot be made could not be started and makes no session", async () => {
		const result = await run(hostLikeSession([]), {
			prepareWorkspace: () => Promise.reject(new Error("/home is not a git repository.")),
			createSession: () => Promise.reject(new Error("not to be called")),
		});
		expect(result.outcome).toMatchObject({
			reason: "start_failed",
			detail: "/home is not a git repository",
			neverStarted: true,
		});
		expect(result).not.toHaveProperty("workspace");
	});

	test("finishes it also if the session cannot be made", async () => {
		const ends: WorkspaceEnd[] = [];
		await run(hostLikeSession([]), {
			prepareWorkspace: async () =>
				workspace(async (end) => {
					ends.push(end);
					return report;
				}),
			createSession: () => Promise.reject(new Error("no model")),
		});
		expect(ends.map((end) => end.outcome.reason)).toEqual(["start_failed"]);
	});

	test("that is not ready in time could not be started, and is given back when it comes", async () => {
		const clock = fakeClock();
		const ends: WorkspaceEnd[] = [];
		const coming = deferred<Workspace>();
		let asked: AbortSignal | undefined;
		const result = run(hostLikeSession([]), {
			clock,
			workspaceSeconds: 30,
			prepareWorkspace(signal) {
				asked = signal;
				return coming.promise;
			},
		});
		await clock.advance(29_999);
		expect(asked?.aborted).toBe(false);
		await clock.advance(1);
		expect((await result).outcome).toEqual({
			status: "error",
			reason: "start_failed",
			detail: "its workspace was not ready after 30 seconds",
			neverStarted: true,
		});
		expect(asked?.aborted).toBe(true);
		coming.resolve(
			workspace(async (end) => {
				ends.push(end);
				return report;
			}),
		);
		await promisesSettled();
		expect(ends).toHaveLength(1);
		expect(clock.pendingTimers).toBe(0);
	});

	test("that is not saved in time keeps its text, says so, and tells the rest later", async () => {
		const clock = fakeClock();
		const saving = deferred<WorkspaceReport>();
		const running = run(hostLikeSession([{ text: "done" }]), {
			clock,
			workspaceSeconds: 30,
			prepareWorkspace: async () => workspace(() => saving.promise),
		});
		await clock.advance(30_000);
		const result = await running;
		const text =
			"Saving the workspace /tree is not over after 30 seconds and goes on; nothing in it was deleted. Ask for the result again later to see what became of it.";
		expect(result).toMatchObject({
			text: "done",
			outcome: { status: "completed" },
			workspace: { text, directory: "/tree", changed: true, problems: [text] },
		});
		saving.resolve(report);
		expect(await result.workspaceLater).toBe(report);
		expect(clock.pendingTimers).toBe(0);
	});

	test("waits for it no longer than the grace time if the session ends", async () => {
		const clock = fakeClock();
		const session = hostLikeSession([{ text: "working", tools: ["read"] }, { text: "done" }]);
		const stop = new AbortController();
		const running = run(session, {
			clock,
			signal: stop.signal,
			onSessionCreated: () => stop.abort("shutdown"),
			prepareWorkspace: async () => workspace(() => new Promise(() => {})),
		});
		await clock.advance(5000);
		expect((await running).workspace?.text).toContain("is not over after 5 seconds");
	});

	test("whose end fails keeps its text and says where the work is", async () => {
		const result = await run(hostLikeSession([{ text: "done" }]), {
			prepareWorkspace: async () => workspace(() => Promise.reject(new Error("disk full"))),
		});
		const text = "The workspace /tree was left as it is, because finishing it failed: disk full";
		expect(result).toMatchObject({
			text: "done",
			outcome: { status: "completed" },
			workspace: { text, directory: "/tree", changed: true, problems: [text] },
		});
	});
});
