import type { Workspace, WorkspaceReport, WorkspaceRequest } from "@pi-subagents/core";
import { type MockSession, type MockSessionOptions, mockSession } from "@pi-subagents/test-helpers";
import { describe, expect, test } from "vitest";
import { deferred, promisesSettled } from "./deferred.js";
import { hostLikeSession } from "./host-like-session.js";
import { backgroundTask, createHarness, type Harness, task } from "./manager-harness.js";

function methods(session: MockSession): string[] {
	return session.calls.map((call) => call.method);
}

/** A manager whose sessions answer at once and are made with the options. */
function withSessions(
	options: MockSessionOptions,
	managerOptions: Parameters<typeof createHarness>[0] = {},
): Harness & { readonly made: readonly MockSession[] } {
	const made: MockSession[] = [];
	const harness = createHarness({
		...managerOptions,
		async createSession() {
			const session = hostLikeSession(() => ({ text: "done" }), options);
			made.push(session);
			return session;
		},
	});
	return { ...harness, made };
}

describe("sessions that are kept", () => {
	test("are prompted again by a resume", async () => {
		const { manager, requests, session, sessions, finish, events } = createHarness();
		manager.spawn(task());
		await promisesSettled();
		await finish("a1");
		expect(manager.getSession("a1")).toBe(session("a1"));
		manager.resume("a1", { prompt: "again" });
		await promisesSettled();
		await finish("a1");
		expect([requests.length, sessions("a1").length]).toEqual([1, 1]);
		expect(session("a1").calls).toMatchObject([{ text: "Work." }, { text: "again" }]);
		expect(session("a1").subscriberCount).toBe(0);
		expect(events.filter((event) => event.startsWith("session_created"))).toHaveLength(2);
	});

	test("count what every run used", async () => {
		const { manager, finish } = createHarness();
		const turn = { text: "done", usage: { input: 10, cost: 0.25 } };
		manager.spawn(task());
		await promisesSettled();
		await finish("a1", turn);
		manager.resume("a1", { prompt: "again" });
		await promisesSettled();
		await finish("a1", turn);
		expect(manager.getRecord("a1")).toMatchObject({
			turnCount: 2,
			lifetimeUsage: { input: 20, cost: 0.5 },
		});
	});

	test("are disposed with the manager", async () => {
		const { manager, made } = withSessions({});
		await manager.spawnAndWait(task());
		await manager.spawnAndWait(task());
		expect(made.map(methods)).toEqual([["prompt"], ["prompt"]]);
		await manager.dispose();
		expect(made.map(methods)).toEqual([
			["prompt", "dispose"],
			["prompt", "dispose"],
		]);
		expect(manager.getSession("a1")).toBeUndefined();
		expect(manager.getRecord("a1")?.result).toBe("done");
	});

	test("are disposed all the same if they did not stop; a resume gets a new one", async () => {
		const { manager, session, sessions, requests, clock, finish } = createHarness();
		manager.spawn(task());
		await promisesSettled();
		const [first] = sessions("a1");
		Object.assign(session("a1"), { abort: () => new Promise(() => {}) });
		manager.abort("a1");
		await clock.advance(5000);
		expect(first?.calls.at(-1)).toEqual({ method: "dispose" });
		expect(manager.getSession("a1")).toBeUndefined();
		manager.resume("a1", { prompt: "again" });
		await promisesSettled();
		expect(requests.map((request) => request.resume)).toEqual([false, true]);
		expect(requests[1]).not.toHaveProperty("previous");
		await finish("a1");
		expect(manager.getRecord("a1")?.status).toBe("completed");
	});

	test("are disposed with the manager also if onSessionCreated threw", async () => {
		const { manager, made } = withSessions({});
		const onSessionCreated = (): never => {
			throw new Error("The panel is full.");
		};
		const record = await manager.spawnAndWait(task({ onSessionCreated }));
		expect(record).toMatchObject({ status: "error", error: "The panel is full" });
		await manager.dispose();
		expect(made.map(methods)).toEqual([["dispose"]]);
		expect(made[0]?.subscriberCount).toBe(0);
	});
});

describe("sessions that are not kept", () => {
	test("are disposed before the run is over, and made again for a resume", async () => {
		const seen: string[][] = [];
		const { manager, requests, made } = withSessions({}, { keepSessions: false });
		manager.subscribe(({ type }) => {
			if (type === "run_ended") seen.push(made.map((session) => methods(session).join()));
		});
		await manager.spawnAndWait(task());
		expect(seen).toEqual([["prompt,dispose"]]);
		expect(manager.getSession("a1")).toBeUndefined();
		manager.resume("a1", { prompt: "again" });
		await manager.wait("a1");
		expect(requests.map((request) => request.resume)).toEqual([false, true]);
		expect(requests[1]).not.toHaveProperty("previous");
		expect(seen[1]).toEqual(["prompt,dispose", "prompt,dispose"]);
	});

	test("leave behind where their conversation is stored", async () => {
		let sessionFile: string | undefined;
		const members = {
			get sessionFile() {
				return sessionFile;
			},
		};
		const { manager } = withSessions({ members }, { keepSessions: false });
		manager.subscribe(({ type }) => {
			// Hosts make the file when the first message is stored.
			if (type === "session_created") queueMicrotask(() => (sessionFile = "/sessions/a1.jsonl"));
		});
		const record = await manager.spawnAndWait(task());
		expect(record.sessionFile).toBe("/sessions/a1.jsonl");
	});

	test("are disposed if onSessionCreated threw", async () => {
		const { manager, made } = withSessions({}, { keepSessions: false });
		const onSessionCreated = (): never => {
			throw new Error("The panel is full.");
		};
		await manager.spawnAndWait(task({ onSessionCreated }));
		expect(made.map(methods)).toEqual([["dispose"]]);
	});

	test.each([
		["throws", (): never => fail()],
		["rejects", () => Promise.reject(new Error("The file is locked."))],
	])("may be such that their disposal %s: it is logged", async (_, dispose) => {
		const { manager, faults } = withSessions({ dispose }, { keepSessions: false });
		const record = await manager.spawnAndWait(task());
		expect(record.status).toBe("completed");
		expect(faults).toEqual(["The session of agent a1 was not closed. The file is locked."]);
	});

	test("may be such that their disposal never ends: it is given up after the grace time", async () => {
		const { manager, clock } = withSessions(
			{ dispose: () => new Promise(() => {}) },
			{ keepSessions: false, graceSeconds: 2, maxConcurrent: 1 },
		);
		manager.spawn(backgroundTask());
		manager.spawn(backgroundTask());
		await clock.advance(1999);
		expect(manager.getRecord("a1")?.status).toBe("running");
		expect(manager.getRecord("a2")?.status).toBe("queued");
		await clock.advance(1);
		expect(manager.getRecord("a1")).toMatchObject({ status: "completed", result: "done" });
		await clock.advance(2000);
		expect(manager.getRecord("a2")?.status).toBe("completed");
		expect(clock.pendingTimers).toBe(0);
	});

	test("may be stopped while they are disposed; the text is kept", async () => {
		const disposed = deferred();
		const { manager } = withSessions({ dispose: () => disposed.promise }, { keepSessions: false });
		manager.spawn(task());
		await promisesSettled();
		expect(manager.abort("a1", "user")).toBe("stopping");
		disposed.resolve();
		expect(await manager.wait("a1")).toMatchObject({ status: "stopped", result: "done" });
	});
});

function fail(): never {
	throw new Error("The file is locked.");
}

describe("an agent with a workspace of its own", () => {
	const report: WorkspaceReport = { text: "Kept on branch x.", changed: true, problems: [] };
	const isolation = "worktree";

	function provider(prepare: (request: WorkspaceRequest) => Promise<Workspace>): {
		prepare: (request: WorkspaceRequest) => Promise<Workspace>;
		readonly requests: readonly WorkspaceRequest[];
	} {
		const requests: WorkspaceRequest[] = [];
		return {
			requests,
			prepare(request) {
				requests.push(request);
				return prepare(request);
			},
		};
	}

	const place = async (): Promise<Workspace> => ({
		cwd: "/tree/sub",
		root: "/tree",
		notes: [],
		finish: async () => report,
	});

	test("works in it, and what became of it can be read", async () => {
		const workspaces = provider(place);
		const { manager, requests, finish } = createHarness({ workspaces });
		manager.spawn(task({ isolation, cwd: "/project" }));
		await promisesSettled();
		await finish("a1");
		expect(workspaces.requests).toMatchObject([
			{ agentId: "a1", type: "worker", description: "Do the work", cwd: "/project" },
		]);
		expect(workspaces.requests[0]).not.toHaveProperty("previous");
		expect(requests).toMatchObject([{ cwd: "/tree/sub", workspace: { root: "/tree" } }]);
		expect(manager.getWorkspace("a1")).toBe(report);
		expect(manager.getWorkspace("nobody")).toBeUndefined();
	});

	test("goes on in it when it is resumed, with a new session in place of the last one", async () => {
		const workspaces = provider(place);
		const { manager, requests, sessions, finish } = createHarness({ workspaces });
		manager.spawn(task({ isolation }));
		await promisesSettled();
		await finish("a1");
		manager.resume("a1", { prompt: "again" });
		await promisesSettled();
		await finish("a1");
		const [first, second] = sessions("a1");
		expect(workspaces.requests[1]?.previous).toBe(report);
		expect(requests[1]).toMatchObject({ resume: true });
		expect(requests[1]?.previous).toBe(first);
		expect(first?.calls.at(-1)).toEqual({ method: "dispose" });
		expect(manager.getSession("a1")).toBe(second);
	});

	test("keeps its session if a resume gets no new one", async () => {
		let broken = false;
		const session = hostLikeSession(() => ({ text: "done" }));
		const { manager, requests } = createHarness({
			workspaces: provider(place),
			createSession: () =>
				broken ? Promise.reject(new Error("no model")) : Promise.resolve(session),
		});
		await manager.spawnAndWait(task({ isolation }));
		broken = true;
		for (let count = 0; count < 2; count++) {
			manager.resume("a1", { prompt: "again" });
			expect((await manager.wait("a1")).outcome).toMatchObject({ reason: "start_failed" });
		}
		expect(requests[2]?.previous).toBe(session);
		expect(manager.getSession("a1")).toBe(session);
		await manager.dispose();
		expect(methods(session)).toEqual(["prompt", "dispose"]);
	});

	test("that takes long to be saved is told later, and a resume waits for that", async () => {
		const saving = deferred<WorkspaceReport>();
		const workspaces = provider(async () => ({ ...(await place()), finish: () => saving.promise }));
		const harness = createHarness({ workspaces, workspaceSeconds: 30 });
		const { manager, clock, events, finish } = harness;
		manager.spawn(task({ isolation }));
		await promisesSettled();
		await finish("a1");
		await clock.advance(30_000);
		expect(manager.getRecord("a1")).toMatchObject({ status: "completed", result: "Report of a1." });
		expect(manager.getWorkspace("a1")?.problems[0]).toMatch(
			/^Saving the workspace \/tree is not over/,
		);
		manager.resume("a1", { prompt: "again" });
		await promisesSettled();
		expect(workspaces.requests).toHaveLength(1);
		saving.resolve(report);
		await promisesSettled();
		expect(events).toContain("workspace_saved a1 running");
		expect(workspaces.requests[1]?.previous).toBe(report);
		await finish("a1");
		expect(manager.getWorkspace("a1")).toBe(report);
	});

	test("could not be started if the place cannot be made", async () => {
		const workspaces = provider(() => Promise.reject(new Error("/home is no git repository.")));
		const { manager, requests } = createHarness({ workspaces });
		const record = await manager.spawnAndWait(task({ isolation }));
		expect(record).toMatchObject({
			status: "error",
			outcome: { reason: "start_failed", neverStarted: true },
			error: "/home is no git repository",
		});
		expect(requests).toEqual([]);
	});

	test("could not be started if nobody makes such places", async () => {
		const record = await createHarness().manager.spawnAndWait(task({ isolation }));
		expect(record.error).toBe('There is no provider for isolation "worktree"');
	});

	test("of an earlier process gets its place back", async () => {
		const workspaces = provider(place);
		const { manager, finish } = createHarness({ workspaces });
		const record = { id: "old", type: "worker", description: "Earlier work" };
		manager.restore(
			{
				...record,
				status: "completed",
				createdAt: 0,
				toolUses: 0,
				turnCount: 1,
				compactionCount: 0,
				lifetimeUsage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0 },
				runCount: 1,
			},
			{ isolation, workspace: report },
		);
		expect(manager.getWorkspace("old")).toBe(report);
		manager.resume("old", { prompt: "again", context: "context" });
		await promisesSettled();
		await finish("old");
		expect(workspaces.requests[0]?.previous).toBe(report);
	});
});

describe("disposing of the manager", () => {
	test("stops agents in every phase, resolves who waits, and leaves nothing behind", async () => {
		const never = new Promise<never>(() => {});
		const sessions: MockSession[] = [];
		const add = (session: MockSession): MockSession => {
			sessions.push(session);
			return session;
		};
		const { manager, clock, faults } = createHarness({
			maxConcurrent: 20,
			workspaces: { prepare: () => never },
			async createSession({ context }) {
				if (context === "creating") return never;
				if (context === "answers") return add(hostLikeSession(() => ({ text: "done" })));
				if (context === "deaf") return add(mockSession({ abort: () => never }));
				if (context === "sticky") return add(mockSession({ dispose: () => never }));
				return add(mockSession());
			},
		});
		await manager.spawnAndWait(task({ context: "answers" }));
		const limits = { maxSeconds: 60, stallSeconds: 60 };
		for (const context of ["creating", "works", "deaf", "sticky"]) {
			manager.spawn(backgroundTask({ context, limits }));
		}
		manager.spawn(backgroundTask({ isolation: "worktree" }));
		manager.resume("a1", { prompt: "again" });
		manager.setMaxConcurrent(1);
		manager.spawn(backgroundTask({ context: "queued" }));
		await promisesSettled();
		const waits = manager.listAgents().map(({ id }) => manager.wait(id));
		let over = false;
		const disposed = manager.dispose().then(() => {
			over = true;
		});
		await clock.advance(4999);
		expect(over).toBe(false);
		await clock.advance(10_000);
		await disposed;
		const records = await Promise.all(waits);
		expect(records.map((record) => record.outcome?.reason)).toEqual([
			"finished",
			...Array(6).fill("shutdown"),
		]);
		expect(sessions.map((session) => session.subscriberCount)).toEqual([0, 0, 0, 0]);
		expect(sessions.every((session) => methods(session).at(-1) === "dispose")).toBe(true);
		expect(clock.pendingTimers).toBe(0);
		expect(faults).toEqual([]);
	});

	test("can be asked for twice, and when there is nothing", async () => {
		const { manager } = createHarness();
		await Promise.all([manager.dispose(), manager.dispose()]);
	});

	test("refuses a resume afterwards", async () => {
		const { manager } = withSessions({});
		await manager.spawnAndWait(task());
		await manager.dispose();
		expect(() => manager.resume("a1", { prompt: "again" })).toThrow(
			"The agent manager was disposed; it starts no more agents.",
		);
	});
});
