import { AgentManager } from "@pi-subagents/runner";
import { fakeClock, type MockSession, mockSession } from "@pi-subagents/test-helpers";
import { beforeEach, expect, test } from "vitest";
import { MAIN_SCOPE } from "../src/scope.js";
import { enforceSessionLimit, type SessionLimits, treeLimit } from "../src/tree-limit.js";

let manager: AgentManager;
let sessions: Map<string, MockSession>;
let limits: SessionLimits;

beforeEach(() => {
	let ids = 0;
	sessions = new Map();
	limits = { maxSessionTokens: 1000, maxSessionCost: 0 };
	manager = new AgentManager({
		async createSession({ record }) {
			const session = mockSession();
			sessions.set(record.id, session);
			return session;
		},
		keepSessions: false,
		maxConcurrent: 2,
		clock: fakeClock(),
		newId: () => `a${++ids}`,
	});
	enforceSessionLimit(manager, () => limits);
});

function spawn(): void {
	const task = { type: "worker", description: "Work", prompt: "Work.", context: undefined };
	manager.spawn({ ...task, background: true });
}

/** A turn that costs 600 tokens and 60 cents; the agent goes on from it if it calls a tool. */
async function turn(id: string, goesOn: boolean): Promise<void> {
	const session = sessions.get(id);
	const message = {
		role: "assistant",
		content: `Said by ${id}.`,
		stopReason: goesOn ? "toolUse" : "stop",
		usage: { input: 500, output: 100, cost: 0.6 },
	};
	session?.emit({ type: "turn_start" });
	session?.emit({ type: "message_end", message });
	session?.emit({ type: "turn_end", message, toolResults: goesOn ? [{}] : [] });
	if (!goesOn) session?.finishPrompt();
	await settled();
}

function settled(): Promise<void> {
	return new Promise((resolve) => setImmediate(resolve));
}

function refusal(): string | undefined {
	return treeLimit(manager, MAIN_SCOPE, { maxDepth: 2, maxNested: 0, ...limits });
}

test("agents are cut off after the turn in which all together reach the limit of the session", async () => {
	spawn();
	spawn();
	await settled();
	await turn("a1", true);
	expect(manager.getRecord("a1")?.status).toBe("running");
	await turn("a2", true);
	const detail = "the agents of this session have used 1200 of 1000 tokens (maxSessionTokens)";
	expect(manager.getRecord("a2")).toMatchObject({
		status: "aborted",
		outcome: { reason: "token_limit", detail },
		result: "Said by a2.",
	});
	// The other one is cut off when its own turn is over.
	expect(manager.getRecord("a1")?.status).toBe("running");
	await turn("a1", true);
	expect(manager.getRecord("a1")).toMatchObject({ status: "aborted", result: "Said by a1." });
	await manager.dispose();
});

test("an answer that comes at the limit of the session is a success", async () => {
	spawn();
	spawn();
	await settled();
	await turn("a1", true);
	await turn("a2", false);
	expect(manager.getRecord("a2")?.status).toBe("completed");
	await turn("a1", false);
	expect(manager.getRecord("a1")?.status).toBe("completed");
});

test("one that waits in the queue ends without asking its model", async () => {
	for (let index = 0; index < 3; index++) spawn();
	await settled();
	await turn("a1", true);
	await turn("a2", true);
	await settled();
	expect(manager.getRecord("a3")).toMatchObject({
		status: "aborted",
		outcome: { reason: "token_limit", neverStarted: true },
	});
	expect(sessions.has("a3")).toBe(false);
	await manager.dispose();
});

test("a further agent is refused in words after which a model stops trying", async () => {
	spawn();
	await settled();
	await turn("a1", false);
	expect(refusal()).toBeUndefined();
	limits = { maxSessionTokens: 0, maxSessionCost: 0.5 };
	expect(refusal()).toBe(
		"No agent may start or go on: the agents of this session have cost $0.6000 of $0.5 (maxSessionCost). Do not try again; do the rest yourself, and tell the user.",
	);
	limits = { maxSessionTokens: 0, maxSessionCost: 0 };
	expect(refusal()).toBeUndefined();
});
