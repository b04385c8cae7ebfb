import { getEventListeners } from "node:events";
import { type ModelServer, mockSession, startModelServer } from "@pi-subagents/test-helpers";
import { describe, expect, test } from "vitest";
import { AgentManager, type SessionRequest } from "../src/index.js";
import { deferred, promisesSettled } from "./deferred.js";
import { hostLikeSession } from "./host-like-session.js";
import { backgroundTask, createHarness, type Harness, task } from "./manager-harness.js";
import { realSession, scripted } from "./real-agent.js";

function statuses({ manager }: Harness): string[] {
	return manager.listAgents().map((record) => record.status);
}

describe("the limit of agents at once", () => {
	test("lets the others wait and start in their order", async () => {
		const harness = createHarness({ maxConcurrent: 2 });
		const { manager, finish, events } = harness;
		for (let count = 0; count < 5; count++) manager.spawn(backgroundTask());
		await promisesSettled();
		expect(statuses(harness)).toEqual(["running", "running", "queued", "queued", "queued"]);
		await finish("a2");
		expect(statuses(harness)).toEqual(["running", "completed", "running", "queued", "queued"]);
		for (const id of ["a3", "a1", "a4", "a5"]) await finish(id);
		expect(events.filter((event) => event.startsWith("run_started"))).toEqual(
			["a1", "a2", "a3", "a4", "a5"].map((id) => `run_started ${id} running`),
		);
		expect(new Set(statuses(harness))).toEqual(new Set(["completed"]));
	});

	test("is ten unless said otherwise", async () => {
		const harness = createHarness();
		for (let count = 0; count < 12; count++) harness.manager.spawn(backgroundTask());
		expect(statuses(harness).filter((status) => status === "running")).toHaveLength(10);
	});

	test("can be raised, which starts those that wait", async () => {
		const harness = createHarness({ maxConcurrent: 1 });
		for (let count = 0; count < 4; count++) harness.manager.spawn(backgroundTask());
		harness.manager.setMaxConcurrent(3);
		expect(statuses(harness)).toEqual(["running", "running", "running", "queued"]);
	});

	test("can be lowered, which stops nothing that runs", async () => {
		const harness = createHarness({ maxConcurrent: 3 });
		const { manager, finish } = harness;
		for (let count = 0; count < 5; count++) manager.spawn(backgroundTask());
		await promisesSettled();
		manager.setMaxConcurrent(1);
		await finish("a1");
		await finish("a2");
		expect(statuses(harness).slice(2)).toEqual(["running", "queued", "queued"]);
		await finish("a3");
		expect(statuses(harness).slice(2)).toEqual(["completed", "running", "queued"]);
	});

	test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
		"cannot be %d; the one before stays in force (CONC-06)",
		(limit) => {
			const message = `The limit of agents at once is ${limit}; it must be a whole number of 1 or more.`;
			expect(() => createHarness({ maxConcurrent: limit })).toThrow(new RangeError(message));
			const harness = createHarness({ maxConcurrent: 1 });
			harness.manager.spawn(task());
			expect(() => harness.manager.setMaxConcurrent(limit)).toThrow(new RangeError(message));
			harness.manager.spawn(task());
			harness.manager.spawn(task({ parentId: "other" }));
			expect(statuses(harness)).toEqual(["running", "queued", "running"]);
		},
	);

	test("can be passed over", async () => {
		const harness = createHarness({ maxConcurrent: 1 });
		const { manager, finish } = harness;
		manager.spawn(backgroundTask());
		manager.spawn(backgroundTask({ bypassQueue: true }));
		manager.spawn(backgroundTask());
		await promisesSettled();
		expect(statuses(harness)).toEqual(["running", "running", "queued"]);
		await finish("a2");
		expect(statuses(harness)).toEqual(["running", "completed", "queued"]);
		manager.resume("a2", { prompt: "again", bypassQueue: true, background: true });
		expect(statuses(harness)).toEqual(["running", "running", "queued"]);
		await finish("a1");
		expect(statuses(harness)).toEqual(["completed", "running", "running"]);
	});

	test("holds for the foreground as well, for each parent, and background work never blocks it (CONC-02)", async () => {
		const harness = createHarness({ maxConcurrent: 2 });
		const { manager, finish } = harness;
		for (let count = 0; count < 3; count++) manager.spawn(backgroundTask());
		for (let count = 0; count < 3; count++) manager.spawn(task());
		for (let count = 0; count < 3; count++) manager.spawn(task({ parentId: "a4" }));
		const lane = ["running", "running", "queued"];
		expect(statuses(harness)).toEqual([...lane, ...lane, ...lane]);
		await promisesSettled();
		await finish("a7");
		expect(statuses(harness).slice(6)).toEqual(["completed", "running", "running"]);
		expect(statuses(harness).slice(0, 6)).toEqual([...lane, ...lane]);
		manager.setMaxConcurrent(3);
		expect(statuses(harness).slice(0, 6)).toEqual(Array(6).fill("running"));
		// A lane that was empty and is used again has the limit of now.
		for (const id of ["a8", "a9"]) await finish(id);
		for (let count = 0; count < 4; count++) manager.spawn(task({ parentId: "a4" }));
		expect(statuses(harness).slice(9)).toEqual(["running", "running", "running", "queued"]);
	});

	test("cannot make a parent that waits for its child wait for ever", async () => {
		const results: string[] = [];
		const manager: AgentManager<number> = new AgentManager<number>({
			maxConcurrent: 1,
			createSession: async ({ record, context: depth }: SessionRequest<number>) =>
				hostLikeSession(async () => {
					const child = { ...task(), context: depth + 1, parentId: record.id };
					if (depth < 3) results.push((await manager.spawnAndWait(child)).result ?? "");
					return { text: `depth ${depth}` };
				}),
		});
		const record = await manager.spawnAndWait({ ...task(), context: 0 });
		expect([...results, record.result]).toEqual(["depth 3", "depth 2", "depth 1", "depth 0"]);
	});

	test("counts a run until it is really over", async () => {
		const harness = createHarness({ maxConcurrent: 1 });
		const { manager, session } = harness;
		manager.spawn(backgroundTask());
		manager.spawn(backgroundTask());
		await promisesSettled();
		const stuck = deferred();
		Object.assign(session("a1"), { abort: () => stuck.promise });
		manager.abort("a1");
		await promisesSettled();
		expect(statuses(harness)).toEqual(["stopped", "queued"]);
		session("a1").finishPrompt();
		await promisesSettled();
		expect(statuses(harness)).toEqual(["stopped", "running"]);
	});

	test("does not count a run that was given up", async () => {
		const harness = createHarness({ maxConcurrent: 1, graceSeconds: 2 });
		const { manager, session, clock } = harness;
		manager.spawn(backgroundTask());
		manager.spawn(backgroundTask());
		await promisesSettled();
		Object.assign(session("a1"), { abort: () => new Promise(() => {}) });
		manager.abort("a1");
		await clock.advance(1999);
		expect(statuses(harness)).toEqual(["stopped", "queued"]);
		await clock.advance(1);
		expect(statuses(harness)).toEqual(["stopped", "running"]);
	});

	test("gives every slot back, however a run ends (CONC-01)", async () => {
		const harness = createHarness({
			maxConcurrent: 4,
			createSession: ({ context }) =>
				context === "throw"
					? Promise.reject(new Error("no model"))
					: Promise.resolve(
							context === "hang"
								? mockSession()
								: hostLikeSession([{ stopReason: context === "fail" ? "error" : "stop" }]),
						),
		});
		const { manager, clock } = harness;
		for (let round = 0; round < 3; round++) {
			for (const context of ["ok", "fail", "throw"]) manager.spawn(backgroundTask({ context }));
			manager.spawn(backgroundTask({ context: "hang", limits: { maxSeconds: 60 } }));
			const queued = manager.spawn(backgroundTask());
			expect(manager.getRecord(queued)?.status).toBe("queued");
			manager.abort(queued);
			await clock.advance(60_000);
			await manager.waitForAll();
		}
		const round = ["completed", "error", "error", "aborted", "stopped"];
		expect(statuses(harness)).toEqual([...round, ...round, ...round]);
		expect(harness.events.filter((event) => event.startsWith("run_started"))).toHaveLength(12);
		expect(clock.pendingTimers).toBe(0);
	});

	test("is not used up by agents that cannot be started (CONC-08)", async () => {
		let good = false;
		const harness = createHarness({
			maxConcurrent: 4,
			createSession() {
				if (good) return Promise.resolve(hostLikeSession([{ text: "fine" }]));
				throw new Error("There is no model.");
			},
		});
		const { manager } = harness;
		for (let count = 0; count < 12; count++) manager.spawn(backgroundTask());
		await manager.waitForAll();
		for (const record of manager.listAgents()) {
			expect(record).toMatchObject({
				status: "error",
				outcome: { reason: "start_failed", neverStarted: true },
				error: "There is no model",
			});
		}
		good = true;
		expect((await manager.spawnAndWait(backgroundTask())).result).toBe("fine");
	});
});

describe("stopping", () => {
	test("a queued agent ends it at once: no session, no slot, and whoever waits hears of it (STATUS-04)", async () => {
		const harness = createHarness({ maxConcurrent: 1 });
		const { manager, requests, finish, events } = harness;
		manager.spawn(backgroundTask());
		manager.spawn(backgroundTask());
		manager.spawn(backgroundTask());
		await promisesSettled();
		const waited = manager.wait("a2");
		expect(manager.abort("a2", "user")).toBe("stopped");
		const record = await waited;
		expect(record).toMatchObject({
			status: "stopped",
			outcome: { status: "stopped", reason: "user", neverStarted: true },
			startedAt: undefined,
			result: undefined,
		});
		expect(events.filter((event) => event.includes("a2"))).toEqual([
			"agent_created a2 queued",
			"run_ended a2 stopped",
		]);
		await finish("a1");
		expect(statuses(harness)).toEqual(["completed", "stopped", "running"]);
		expect(requests.map((request) => request.record.id)).toEqual(["a1", "a3"]);
	});

	test("a running agent is said at once, and its text comes with the end", async () => {
		const { manager, session, events, finish } = createHarness();
		manager.spawn(task());
		await promisesSettled();
		Object.assign(session("a1"), { abort: () => Promise.resolve() });
		expect(manager.abort("a1", "user")).toBe("stopping");
		expect(manager.getRecord("a1")).toMatchObject({
			status: "stopped",
			outcome: { status: "stopped", reason: "user" },
			result: undefined,
		});
		expect(manager.abort("a1", "parent")).toBe("already_ended");
		await finish("a1", { text: "half", stopReason: "aborted" });
		expect(manager.getRecord("a1")).toMatchObject({
			status: "stopped",
			outcome: { status: "stopped", reason: "user" },
			result: "half",
		});
		expect(events.slice(-2)).toEqual(["run_stopping a1 stopped", "run_ended a1 stopped"]);
		expect(manager.abort("a1")).toBe("already_ended");
	});

	test("stays what it is, although the agent completed in the same moment", async () => {
		const harness = createHarness();
		const { manager, session, finish } = harness;
		manager.spawn(task());
		await promisesSettled();
		Object.assign(session("a1"), { abort: () => Promise.resolve() });
		manager.abort("a1", "user");
		await finish("a1");
		expect(manager.getRecord("a1")).toMatchObject({ status: "stopped", result: "Report of a1." });
		expect(harness.faults).toEqual([]);
	});

	test("an agent whose tool does not stop says so in the end (STATUS-08)", async () => {
		const { manager, session, clock } = createHarness();
		manager.spawn(task());
		await promisesSettled();
		session("a1").emit({ type: "turn_start" });
		session("a1").emit({
			type: "tool_execution_start",
			toolCallId: "c1",
			toolName: "bash",
			args: {},
		});
		Object.assign(session("a1"), { abort: () => new Promise(() => {}) });
		manager.abort("a1", "user");
		await clock.advance(5000);
		expect(manager.getRecord("a1")?.outcome).toEqual({
			status: "stopped",
			reason: "user",
			detail: "bash still ran 5 seconds after it was told to stop, so it was given up",
		});
	});

	test("is for the program unless said otherwise, and for known agents only", async () => {
		const { manager } = createHarness();
		manager.spawn(task());
		expect(manager.abort("a1")).toBe("stopping");
		expect(manager.getRecord("a1")?.outcome?.reason).toBe("program");
		expect(manager.abort("nobody")).toBe("unknown");
	});

	test("all starts none of those that wait", async () => {
		const harness = createHarness({ maxConcurrent: 2 });
		const { manager, requests, finish } = harness;
		for (let count = 0; count < 5; count++) manager.spawn(backgroundTask());
		await promisesSettled();
		await finish("a1");
		expect(manager.abortAll("user")).toBe(4);
		await manager.waitForAll();
		expect(statuses(harness)).toEqual(["completed", ...Array(4).fill("stopped")]);
		expect(requests.map((request) => request.record.id)).toEqual(["a1", "a2", "a3"]);
		expect(manager.abortAll("user")).toBe(0);
	});

	test("one of a batch leaves the others alone (ABORT-06)", async () => {
		const { manager, finish } = createHarness();
		const batch = Array.from({ length: 4 }, () => manager.spawnAndWait(task()));
		await promisesSettled();
		manager.abort("a3", "user");
		for (const id of ["a1", "a2", "a4"]) await finish(id);
		expect((await Promise.all(batch)).map((record) => record.status)).toEqual([
			"completed",
			"completed",
			"stopped",
			"completed",
		]);
	});
});

describe("the signal of a task", () => {
	test("that was aborted before lets nothing start", async () => {
		const harness = createHarness();
		const { manager, requests, events } = harness;
		const record = await manager.spawnAndWait(task({ signal: AbortSignal.abort("user") }));
		expect(record.outcome).toEqual({ status: "stopped", reason: "user", neverStarted: true });
		expect(requests).toEqual([]);
		expect(events).toEqual(["agent_created a1 queued", "run_ended a1 stopped"]);
	});

	test("stops the run, queued or not, and nobody listens to it afterwards", async () => {
		const harness = createHarness({ maxConcurrent: 1 });
		const { manager } = harness;
		const { signal, ...controller } = abortController();
		manager.spawn(task({ signal }));
		manager.spawn(task({ signal }));
		await promisesSettled();
		expect(getEventListeners(signal, "abort")).toHaveLength(2);
		controller.abort(new Error("The turn was interrupted."));
		await manager.waitForAll();
		expect(statuses(harness)).toEqual(["stopped", "stopped"]);
		expect(manager.getRecord("a1")?.outcome?.reason).toBe("parent");
		expect(getEventListeners(signal, "abort")).toHaveLength(0);
	});

	test("does not stop a later run of the same agent", async () => {
		const { manager, finish } = createHarness();
		const { signal, ...controller } = abortController();
		manager.spawn(task({ signal }));
		await promisesSettled();
		await finish("a1");
		manager.resume("a1", { prompt: "again" });
		await promisesSettled();
		controller.abort();
		expect(manager.getRecord("a1")?.status).toBe("running");
	});

	test("may be that of many agents without a warning of a leak (LEAK-02)", async () => {
		const warnings: Error[] = [];
		const onWarning = (warning: Error): void => void warnings.push(warning);
		process.on("warning", onWarning);
		const { manager, finish } = createHarness({ maxConcurrent: 20 });
		const { signal } = abortController();
		const batch = Array.from({ length: 20 }, () => manager.spawnAndWait(task({ signal })));
		const waits = manager.listAgents().map(({ id }) => manager.wait(id, signal));
		await promisesSettled();
		for (let index = 1; index <= 20; index++) await finish(`a${index}`);
		await Promise.all([...batch, ...waits]);
		await promisesSettled();
		process.off("warning", onWarning);
		expect(warnings).toEqual([]);
		expect(getEventListeners(signal, "abort")).toHaveLength(0);
	});
});

function abortController(): { signal: AbortSignal; abort: (reason?: unknown) => void } {
	const controller = new AbortController();
	return { signal: controller.signal, abort: (reason) => controller.abort(reason) };
}

describe("a resume", () => {
	test("of an agent that is queued, running or stopping is refused; there is one loop only (RESTART-04)", async () => {
		const { manager, session, finish } = createHarness({ maxConcurrent: 1 });
		manager.spawn(backgroundTask());
		manager.spawn(backgroundTask());
		await promisesSettled();
		const again = { prompt: "again", background: true };
		expect([manager.resume("a1", again), manager.resume("a2", again)]).toEqual([
			"not_ended",
			"not_ended",
		]);
		Object.assign(session("a1"), { abort: () => Promise.resolve() });
		manager.abort("a1");
		expect(manager.resume("a1", again)).toBe("not_ended");
		await finish("a1", { stopReason: "aborted" });
		expect([manager.resume("a1", again), manager.resume("a1", again)]).toEqual([
			"started",
			"not_ended",
		]);
		await finish("a2");
		await finish("a1", { text: "resumed" });
		expect(session("a1").calls.filter((call) => call.method === "prompt")).toHaveLength(2);
		expect(manager.getRecord("a1")).toMatchObject({ result: "resumed", runCount: 2 });
		expect(manager.resume("nobody", again)).toBe("unknown");
	});

	test("waits for a slot like everybody, and its last result stays readable", async () => {
		const harness = createHarness({ maxConcurrent: 1 });
		const { manager, finish, events } = harness;
		manager.spawn(backgroundTask());
		manager.spawn(backgroundTask());
		manager.spawn(backgroundTask());
		await promisesSettled();
		await finish("a1");
		manager.resume("a1", { prompt: "again", background: true });
		expect(events.at(-1)).toBe("agent_resumed a1 queued");
		expect(manager.getRecord("a1")?.result).toBe("Report of a1.");
		await finish("a2");
		expect(statuses(harness)).toEqual(["queued", "completed", "running"]);
		await finish("a3");
		expect(statuses(harness)).toEqual(["running", "completed", "completed"]);
		expect(manager.getRecord("a1")?.result).toBeUndefined();
	});

	test("has the limits of the first run unless it brings its own", async () => {
		const { manager, clock } = createHarness();
		manager.spawn(task({ limits: { maxSeconds: 60 } }));
		await clock.advance(60_000);
		manager.resume("a1", { prompt: "again" });
		await clock.advance(60_000);
		manager.resume("a1", { prompt: "again", limits: { maxSeconds: 90 } });
		await clock.advance(60_000);
		expect(manager.getRecord("a1")?.status).toBe("running");
		await clock.advance(30_000);
		expect(manager.getRecord("a1")).toMatchObject({ status: "aborted", runCount: 3 });
	});
});

test("with real agents no more requests than slots are open at once", async () => {
	const server: ModelServer = await startModelServer();
	try {
		const manager = new AgentManager<undefined>({
			maxConcurrent: 2,
			createSession: () => realSession(server),
		});
		const prompt = scripted("go", [{ text: "done", slow: { chunks: 2, ms: 1 } }]);
		const spawn = { ...backgroundTask({ prompt }), context: undefined };
		const ids = Array.from({ length: 8 }, () => manager.spawn(spawn));
		await manager.waitForAll();
		expect(ids.map((id) => manager.getRecord(id)?.result)).toEqual(Array(8).fill("done"));
		expect(server.peakConcurrency).toBe(2);
		await manager.dispose();
	} finally {
		await server.close();
	}
});
