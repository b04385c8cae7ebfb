import type { AgentRecordSnapshot } from "@pi-subagents/core";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { AgentManager, type ManagerEvent } from "../src/index.js";
import { promisesSettled } from "./deferred.js";
import { emitTurn, hostLikeSession } from "./host-like-session.js";
import { backgroundTask, createHarness, type Harness, task } from "./manager-harness.js";

let harness: Harness;
beforeEach(() => {
	harness = createHarness();
});

describe("an agent that is spawned", () => {
	test("is known at once and runs to its end", async () => {
		const { manager, clock, events, finish } = harness;
		await clock.advance(1000);
		const id = manager.spawn(task({ parentId: "parent" }));
		expect(id).toBe("a1");
		expect(manager.getRecord(id)).toMatchObject({
			status: "running",
			type: "worker",
			description: "Do the work",
			parentId: "parent",
			createdAt: 1000,
			startedAt: 1000,
			runCount: 1,
		});
		await clock.advance(500);
		await finish(id, { text: "The answer.", usage: { input: 100, output: 10 } });
		expect(await manager.wait(id)).toBe(manager.getRecord(id));
		expect(manager.getRecord(id)).toMatchObject({
			status: "completed",
			outcome: { status: "completed", reason: "finished" },
			result: "The answer.",
			error: undefined,
			completedAt: 1500,
			turnCount: 1,
			toolUses: 0,
			lifetimeUsage: { input: 100, output: 10 },
		});
		expect(events).toEqual([
			"agent_created a1 queued",
			"run_started a1 running",
			"session_created a1 running",
			"run_ended a1 completed",
		]);
		expect(harness.faults).toEqual([]);
	});

	test("gets a session made from what was asked for", async () => {
		const { manager, requests, session } = harness;
		const sessions: unknown[] = [];
		const onSessionCreated = (made: unknown) => sessions.push(made);
		manager.spawn(task({ context: "for Ada", cwd: "/project", onSessionCreated }));
		manager.spawn(task());
		await promisesSettled();
		expect(requests[0]).toMatchObject({
			record: { id: "a1" },
			context: "for Ada",
			cwd: "/project",
			resume: false,
		});
		expect(requests[0]?.signal.aborted).toBe(false);
		expect(requests[0]).not.toHaveProperty("workspace");
		expect(requests[0]).not.toHaveProperty("previous");
		expect(requests[1]?.cwd).toBe(process.cwd());
		expect(sessions).toEqual([session("a1")]);
		expect(manager.getSession("a1")).toBe(session("a1"));
		const options = { expandPromptTemplates: false };
		expect(session("a1").calls).toEqual([{ method: "prompt", text: "Work.", options }]);
	});

	test("that fails tells the error, and what it said before", async () => {
		const { manager, finish } = harness;
		manager.spawn(task());
		await promisesSettled();
		emitTurn(harness.session("a1"), { text: "looking now", tools: ["read"] });
		await finish("a1", { stopReason: "error", errorMessage: "400 bad request." });
		expect(manager.getRecord("a1")).toMatchObject({
			status: "error",
			outcome: { status: "error", reason: "provider_error", detail: "400 bad request" },
			error: "400 bad request",
			result: "looking now",
			toolUses: 1,
		});
	});

	test("can be waited for in one go", async () => {
		const { manager, finish } = harness;
		const record = manager.spawnAndWait(task());
		await promisesSettled();
		await finish("a1");
		expect((await record).result).toBe("Report of a1.");
	});

	test("is in the list after those that were made before it", () => {
		const { manager } = harness;
		for (let count = 0; count < 3; count++) manager.spawn(task());
		expect(manager.listAgents().map((record) => record.id)).toEqual(["a1", "a2", "a3"]);
		expect(manager.getRecord("a4")).toBeUndefined();
	});

	test("has an id of eight hexadecimal digits unless told otherwise", () => {
		const createSession = () => new Promise<never>(() => {});
		const id = new AgentManager({ createSession }).spawn({ ...task(), context: undefined });
		expect(id).toMatch(/^[0-9a-f]{8}$/);
	});

	test("has the limits that were asked for", async () => {
		const { manager, clock, session } = harness;
		manager.spawn(task({ limits: { maxSeconds: 60 } }));
		await clock.advance(60_000);
		expect(session("a1").signal.aborted).toBe(true);
		expect(manager.getRecord("a1")?.outcome).toMatchObject({
			status: "aborted",
			reason: "time_limit",
		});
	});

	test("tells of its compactions", async () => {
		const { manager, session, events } = harness;
		const told: ManagerEvent[] = [];
		manager.subscribe((event) => told.push(event));
		manager.spawn(task());
		await promisesSettled();
		session("a1").emit({
			type: "compaction_end",
			reason: "threshold",
			result: { tokensBefore: 9000 },
			aborted: false,
			willRetry: false,
		});
		expect(events.at(-1)).toBe("compacted a1 running");
		expect(told.at(-1)).toMatchObject({ compaction: { reason: "threshold", tokensBefore: 9000 } });
		expect(manager.getRecord("a1")?.compactionCount).toBe(1);
	});
});

describe("a task that is no good", () => {
	test.each([
		[task({ prompt: "" }), TypeError, "The prompt is empty; say what to do."],
		[task({ prompt: " \n" }), TypeError, "The prompt is empty; say what to do."],
		[
			task({ limits: { maxTurns: -1 } }),
			RangeError,
			"maxTurns is -1; it must be a number of 0 or more (0: no limit).",
		],
	])("is refused with what is wrong, and makes nothing (%#)", (options, type, message) => {
		const { manager, events } = harness;
		expect(() => manager.spawn(options)).toThrow(type);
		expect(() => manager.spawn(options)).toThrow(message);
		expect(manager.listAgents()).toEqual([]);
		expect(events).toEqual([]);
	});

	test("is refused for a resume as well, which changes nothing", async () => {
		const { manager, finish, events } = harness;
		manager.spawn(task());
		await promisesSettled();
		await finish("a1");
		const before = events.length;
		expect(() => manager.resume("a1", { prompt: " " })).toThrow("The prompt is empty");
		expect(() => manager.resume("a1", { prompt: "x", limits: { maxCost: Number.NaN } })).toThrow(
			"maxCost is NaN",
		);
		expect(manager.getRecord("a1")?.status).toBe("completed");
		expect(events.length).toBe(before);
	});

	test("is refused if its id is taken, and leaves the other agent alone", () => {
		const { manager } = createHarness({ newId: () => "same" });
		manager.spawn(task({ description: "first" }));
		expect(() => manager.spawn(task())).toThrow("There is already an agent same.");
		expect(manager.listAgents().map((record) => record.description)).toEqual(["first"]);
	});

	test("is refused after dispose", async () => {
		await harness.manager.dispose();
		expect(() => harness.manager.spawn(task())).toThrow(
			"The agent manager was disposed; it starts no more agents.",
		);
	});
});

describe("waiting", () => {
	test("for a queued agent brings the text of its run (NOTIFY-09)", async () => {
		const { manager, finish } = createHarness({ maxConcurrent: 1 });
		manager.spawn(backgroundTask());
		const waited = manager.spawnAndWait(backgroundTask());
		await promisesSettled();
		await finish("a1");
		await finish("a2");
		expect((await waited).result).toBe("Report of a2.");
	});

	test("for a resumed agent brings the new text (NOTIFY-09)", async () => {
		const { manager, finish } = harness;
		manager.spawn(task());
		await promisesSettled();
		await finish("a1");
		expect(manager.resume("a1", { prompt: "And now?" })).toBe("started");
		const waited = manager.wait("a1");
		await promisesSettled();
		await finish("a1", { text: "The new text." });
		expect((await waited).result).toBe("The new text.");
	});

	test("for an agent that has ended is over at once", async () => {
		const { manager, finish } = harness;
		manager.spawn(task());
		await promisesSettled();
		await finish("a1");
		expect((await manager.wait("a1")).status).toBe("completed");
	});

	test("can be given up; the agent goes on (ABORT-05)", async () => {
		const { manager, finish } = harness;
		const controller = new AbortController();
		manager.spawn(task());
		const waited = manager.wait("a1", controller.signal);
		await promisesSettled();
		controller.abort(new Error("The user pressed escape."));
		await expect(waited).rejects.toThrow("The user pressed escape.");
		await expect(manager.wait("a1", controller.signal)).rejects.toThrow("pressed escape");
		expect(manager.getRecord("a1")?.status).toBe("running");
		await finish("a1");
		expect(manager.getRecord("a1")?.status).toBe("completed");
	});

	test("for an agent that is unknown is refused", async () => {
		await expect(harness.manager.wait("nobody")).rejects.toThrow("There is no agent nobody.");
	});

	test("for all includes those that start meanwhile", async () => {
		const { manager, finish } = createHarness({ maxConcurrent: 1 });
		let over = false;
		await manager.waitForAll();
		manager.spawn(backgroundTask());
		manager.spawn(backgroundTask());
		const all = manager.waitForAll().then(() => {
			over = true;
		});
		await promisesSettled();
		manager.spawn(backgroundTask());
		for (const id of ["a1", "a2", "a3"]) {
			expect(over).toBe(false);
			await finish(id);
		}
		await all;
	});
});

describe("a steering message", () => {
	test("to an agent that is unknown or has ended is refused as such", async () => {
		const { manager, finish, events } = harness;
		expect(await manager.steer("nobody", "hello")).toBe("unknown");
		manager.spawn(task());
		await promisesSettled();
		await finish("a1");
		expect(await manager.steer("a1", "hello")).toBe("ended");
		expect(events).not.toContain("steered a1 completed");
	});

	test("to a queued agent is kept for its session", async () => {
		const { manager, session, finish, events } = createHarness({ maxConcurrent: 1 });
		manager.spawn(backgroundTask());
		manager.spawn(backgroundTask());
		await promisesSettled();
		expect(await manager.steer("a2", "and the tests")).toBe("kept");
		expect(events.at(-1)).toBe("steered a2 queued");
		await finish("a1");
		expect(session("a2").calls.map((call) => call.method)).toEqual(["steer", "prompt"]);
	});

	test("to a running agent is delivered, and told with its text", async () => {
		const { manager, session } = harness;
		const told: ManagerEvent[] = [];
		manager.spawn(task());
		await promisesSettled();
		manager.subscribe((event) => told.push(event));
		expect(await manager.steer("a1", "and the tests")).toBe("delivered");
		expect(session("a1").calls.at(-1)).toEqual({ method: "steer", text: "and the tests" });
		expect(told).toMatchObject([{ type: "steered", message: "and the tests" }]);
	});

	test("to an agent that is stopping is refused", async () => {
		const { manager, session } = harness;
		manager.spawn(task());
		await promisesSettled();
		manager.abort("a1");
		expect(await manager.steer("a1", "one more thing")).toBe("ended");
		expect(session("a1").calls.map((call) => call.method)).not.toContain("steer");
	});

	test("that the session does not take is an error for the sender, and is not told", async () => {
		const session = hostLikeSession(() => new Promise(() => {}), {
			steer: () => Promise.reject(new Error("The session is closed.")),
		});
		const { manager, events } = createHarness({ createSession: async () => session });
		manager.spawn(task());
		await promisesSettled();
		await expect(manager.steer("a1", "hello")).rejects.toThrow("The session is closed.");
		expect(events.at(-1)).toBe("session_created a1 running");
	});

	test("that was not read is reported, and read once when the agent is resumed (STEER-04)", async () => {
		const session = hostLikeSession(async ({ index }) => {
			if (index > 0) return { text: "done" };
			await manager.steer("a1", "and the tests");
			await manager.steer("a1", "/please");
			return { stopReason: "error", errorMessage: "503" };
		});
		const { manager } = createHarness({ createSession: async () => session });
		await manager.spawnAndWait(task());
		expect(manager.getUnreadMessages("a1")).toEqual(["and the tests", "/please"]);
		expect(manager.getUnreadMessages("nobody")).toEqual([]);
		for (const prompt of ["Go on.", "And again."]) {
			manager.resume("a1", { prompt });
			await manager.wait("a1");
			expect(manager.getUnreadMessages("a1")).toEqual([]);
		}
		const messages = ["and the tests", " /please"];
		expect(session.read).toEqual(["Work.", "Go on.", ...messages, "And again."]);
	});

	test("to a queued agent that is stopped is reported, and read when it is resumed", async () => {
		const { manager, session, finish } = createHarness({ maxConcurrent: 1 });
		manager.spawn(backgroundTask());
		manager.spawn(backgroundTask());
		await manager.steer("a2", "and the tests");
		manager.abort("a2");
		expect(manager.getUnreadMessages("a2")).toEqual(["and the tests"]);
		manager.resume("a2", { prompt: "Now.", background: true });
		await promisesSettled();
		await finish("a1");
		expect(session("a2").calls).toMatchObject([
			{ method: "steer", text: "and the tests" },
			{ method: "prompt", text: "Now." },
		]);
		expect(manager.getUnreadMessages("a2")).toEqual([]);
	});
});

describe("an agent of an earlier process", () => {
	const snapshot: AgentRecordSnapshot = {
		id: "old",
		type: "worker",
		description: "Earlier work",
		status: "running",
		createdAt: 100,
		startedAt: 200,
		result: "half a report",
		toolUses: 3,
		turnCount: 2,
		compactionCount: 1,
		lifetimeUsage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, cost: 5 },
		runCount: 1,
		sessionFile: "/sessions/old.jsonl",
	};

	test("that ran was interrupted, and keeps what it had", async () => {
		const { manager, clock, events } = harness;
		await clock.advance(5000);
		const record = manager.restore(snapshot, {});
		expect(manager.getRecord("old")).toBe(record);
		expect(record.toSnapshot()).toEqual({
			...snapshot,
			status: "error",
			outcome: { status: "error", reason: "interrupted" },
			completedAt: 5000,
		});
		expect(events).toEqual([]);
		expect((await manager.wait("old")).status).toBe("error");
	});

	test("that was queued was interrupted before it started", () => {
		const record = harness.manager.restore({ ...snapshot, status: "queued" }, {});
		expect(record.outcome).toEqual({ status: "error", reason: "interrupted", neverStarted: true });
	});

	test("that had ended is as it was", () => {
		const ended: AgentRecordSnapshot = {
			...snapshot,
			status: "completed",
			outcome: { status: "completed", reason: "finished" },
			completedAt: 300,
		};
		expect(harness.manager.restore(ended, {}).toSnapshot()).toEqual(ended);
	});

	test("can be resumed, with a session that goes on with the conversation", async () => {
		const { manager, requests, finish } = harness;
		const options = { unreadMessages: ["and the tests"], cwd: "/project" };
		manager.restore(snapshot, options);
		expect(manager.getUnreadMessages("old")).toEqual(["and the tests"]);
		const request = { prompt: "Go on.", context: "restored" };
		expect(manager.resume("old", request)).toBe("started");
		await promisesSettled();
		expect(requests).toMatchObject([
			{
				resume: true,
				context: "restored",
				cwd: "/project",
				record: { sessionFile: "/sessions/old.jsonl" },
			},
		]);
		expect(harness.session("old").calls).toMatchObject([
			{ method: "steer", text: "and the tests" },
			{ method: "prompt", text: "Go on." },
		]);
		await finish("old");
		expect(manager.getRecord("old")).toMatchObject({
			status: "completed",
			result: "Report of old.",
			runCount: 2,
			turnCount: 3,
		});
	});

	test("does not take the place of one that is there", () => {
		const { manager } = harness;
		manager.spawn(task());
		expect(() => manager.restore({ ...snapshot, id: "a1" }, {})).toThrow(
			"There is already an agent a1.",
		);
		expect(manager.getRecord("a1")?.status).toBe("running");
	});
});

describe("a subscriber", () => {
	test("that throws is logged and disturbs nobody", async () => {
		const { manager, events, faults, finish } = harness;
		manager.subscribe(() => {
			throw new Error("broken panel");
		});
		const later: string[] = [];
		manager.subscribe((event) => later.push(event.type));
		manager.spawn(task());
		await promisesSettled();
		await finish("a1");
		expect(later).toEqual(["agent_created", "run_started", "session_created", "run_ended"]);
		expect(events.length).toBe(4);
		expect(faults).toEqual(
			Array.from({ length: 4 }, () => "A subscriber of the agent manager failed. broken panel"),
		);
		expect(manager.getRecord("a1")?.status).toBe("completed");
	});

	test("is told no more after unsubscribing, even of the event that is told just now", () => {
		const { manager } = harness;
		const heard: string[] = [];
		manager.subscribe(() => stop());
		const stop = manager.subscribe((event) => heard.push(event.type));
		manager.spawn(task());
		stop();
		expect(heard).toEqual([]);
	});

	test("may stop an agent of which it is just told; it never starts", async () => {
		const { manager, requests, events } = harness;
		const answers: string[] = [];
		manager.subscribe(({ type, record }) => {
			if (type === "agent_created") answers.push(manager.abort(record.id, "user"));
		});
		const record = await manager.spawnAndWait(task());
		expect(answers).toEqual(["stopped"]);
		expect(record.outcome).toEqual({ status: "stopped", reason: "user", neverStarted: true });
		expect(requests).toEqual([]);
		expect(events).toEqual(["agent_created a1 queued", "run_ended a1 stopped"]);
	});

	test("may stop a run that just starts; no session is made", async () => {
		const { manager, requests } = harness;
		manager.subscribe(({ type, record }) => {
			if (type === "run_started") manager.abort(record.id, "user");
		});
		const record = await manager.spawnAndWait(task());
		expect(record.outcome).toEqual({ status: "stopped", reason: "user", neverStarted: true });
		expect(requests).toEqual([]);
	});

	test("may wait for the run of which it is just told", async () => {
		const { manager, finish } = harness;
		const waited: Array<Promise<string | undefined>> = [];
		manager.subscribe(({ type, record }) => {
			if (type !== "agent_created" && type !== "agent_resumed") return;
			waited.push(manager.wait(record.id).then(({ result }) => result));
		});
		manager.spawn(task());
		await promisesSettled();
		await finish("a1", { text: "first" });
		manager.resume("a1", { prompt: "again" });
		await promisesSettled();
		await finish("a1", { text: "second" });
		expect(await Promise.all(waited)).toEqual(["first", "second"]);
	});

	test("may resume an agent that just ended; there is one more run of it", async () => {
		const { manager, finish, events, session } = createHarness({ maxConcurrent: 1 });
		let resumed = false;
		manager.subscribe(({ type, record }) => {
			if (type !== "run_ended" || resumed) return;
			resumed = true;
			expect(manager.resume(record.id, { prompt: "again" })).toBe("started");
			expect(manager.resume(record.id, { prompt: "and again" })).toBe("not_ended");
		});
		manager.spawn(task());
		await promisesSettled();
		await finish("a1");
		await finish("a1", { text: "second" });
		expect(session("a1").calls.map((call) => call.method)).toEqual(["prompt", "prompt"]);
		expect(events.filter((event) => event.startsWith("run_ended"))).toHaveLength(2);
		expect(manager.getRecord("a1")).toMatchObject({ result: "second", runCount: 2 });
	});
});

test("faults are a process warning unless somebody else hears of them", async () => {
	const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
	const createSession = () => Promise.reject(new Error("no model"));
	const manager = new AgentManager<string>({ createSession });
	const stop = manager.subscribe(() => {
		throw new Error("broken panel");
	});
	manager.spawn(task());
	stop();
	await manager.waitForAll();
	expect(warn.mock.calls).toEqual([
		["A subscriber of the agent manager failed. broken panel"],
		["A subscriber of the agent manager failed. broken panel"],
	]);
});

describe("a limit that several agents share", () => {
	const limit = { reason: "cost_limit", detail: "all together: $2 of $1" } as const;

	test("cuts off a run like one of its own, and keeps its text", async () => {
		const { manager, clock, session } = createHarness();
		manager.spawn(task());
		await promisesSettled();
		session("a1").emit({ type: "turn_start" });
		emitTurn(session("a1"), { text: "so far", tools: ["read"] });
		expect(manager.cutOff("a1", limit)).toBe("stopping");
		expect(manager.getRecord("a1")?.status).toBe("running");
		await clock.advance(0);
		expect(manager.getRecord("a1")).toMatchObject({
			status: "aborted",
			outcome: { reason: "cost_limit", detail: "all together: $2 of $1" },
			result: "so far",
		});
		expect(manager.cutOff("a1", limit)).toBe("already_ended");
		expect(manager.cutOff("nobody", limit)).toBe("unknown");
	});

	test("stops one that waits in the queue", async () => {
		const { manager } = createHarness({ maxConcurrent: 1 });
		manager.spawn(backgroundTask());
		manager.spawn(backgroundTask());
		expect(manager.cutOff("a2", limit)).toBe("stopped");
		expect(manager.getRecord("a2")?.outcome).toEqual({
			status: "stopped",
			reason: "program",
			detail: "all together: $2 of $1",
			neverStarted: true,
		});
		await manager.dispose();
	});
});

test("a signal stops for whom the request says, unless its reason says it (ABORT-01)", async () => {
	const { manager, clock } = createHarness();
	const [plain, explained] = [new AbortController(), new AbortController()];
	manager.spawn(task({ signal: plain.signal, stoppedBy: "user" }));
	manager.spawn(task({ signal: explained.signal, stoppedBy: "user" }));
	await promisesSettled();
	expect(manager.isOver("a1")).toBe(false);
	plain.abort();
	explained.abort("shutdown");
	expect(manager.getRecord("a1")?.outcome?.reason).toBe("user");
	expect(manager.getRecord("a2")?.outcome?.reason).toBe("shutdown");
	// The record says it at once, the run takes its time.
	expect(manager.isOver("a1")).toBe(false);
	await clock.advance(5000);
	expect(manager.isOver("a1")).toBe(true);
});

test("a result can be read as soon as the status says that it is there, and not before (STATUS-09)", async () => {
	const { manager, session } = createHarness({ keepSessions: false });
	const seen: string[] = [];
	const look = (id: string): void => {
		const { status, result } = manager.getRecord(id) ?? {};
		seen.push(`${status}: ${result}`);
	};
	for (let run = 1; run <= 20; run++) {
		const id = manager.spawn(task());
		manager.subscribe(() => look(id));
		await promisesSettled();
		session(id).emit({ type: "turn_start" });
		emitTurn(session(id), { text: "done" });
		session(id).finishPrompt();
		while (!manager.isOver(id)) {
			look(id);
			await Promise.resolve();
		}
		look(id);
	}
	expect([...new Set(seen)]).toEqual(["running: undefined", "completed: done"]);
});
