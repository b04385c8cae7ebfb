import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { AgentManager, systemClock } from "@pi-subagents/runner";
import { type MockSession, mockSession } from "@pi-subagents/test-helpers";
import { expect, test } from "vitest";
import { createAgentBook } from "../src/agent-book.js";
import { stopWithParent } from "../src/agent-tree.js";
import { createLedger } from "../src/cost.js";
import { createDeliveries } from "../src/delivery/deliveries.js";
import { createStallWarnings } from "../src/delivery/stall-warnings.js";
import { enforceSessionLimit } from "../src/tree-limit.js";
import { createActivityStore } from "../src/ui/activity-store.js";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/** In bytes. */
function heapUsed(): number {
	collectGarbage();
	collectGarbage();
	return process.memoryUsage().heapUsed;
}

const LAUNCH = {
	cwd: "/home/somebody/projects/something",
	model: "provider/some-model",
	isolated: false,
	isolation: "none",
	limits: { maxTurns: 50, graceTurns: 5 },
} as const;

/** All that the extension keeps of agents, and the entries that the host keeps of them. */
function openSession() {
	const sessions = new Map<string, MockSession>();
	const entries: unknown[] = [];
	const manager = new AgentManager({
		async createSession({ record }) {
			const session = mockSession();
			sessions.set(record.id, session);
			return session;
		},
		keepSessions: false,
		clock: systemClock,
	});
	const book = createAgentBook(
		(customType, data) => void entries.push({ type: "custom", customType, data }),
		(id) => ({ unreadMessages: manager.getUnreadMessages(id) }),
	);
	const deliveries = createDeliveries({
		book,
		clock: systemClock,
		agents: () => manager.listAgents(),
		isOver: ({ id }) => manager.isOver(id),
		isParentAtRest: () => true,
		send: () => {},
	});
	const stalls = createStallWarnings({
		manager,
		clock: systemClock,
		seconds: () => 300,
		isParentAtRest: () => true,
		tellPerson: () => {},
		tellParent: () => {},
	});
	const activities = createActivityStore(manager, systemClock);
	const ledger = createLedger(manager);
	stopWithParent(manager);
	enforceSessionLimit(manager, () => ({ maxSessionTokens: 0, maxSessionCost: 0 }));
	manager.subscribe((event) => {
		if (event.type === "agent_created") book.open(event.record, LAUNCH, true);
		if (event.type === "session_created" || event.type === "run_ended") book.store(event.record);
		if (event.type === "run_ended") deliveries.check();
	});
	return { manager, sessions, entries, parts: [book, deliveries, stalls, activities], ledger };
}

/** One agent from its start to its end, with a report of 2,000 characters and a longer transcript. */
async function runAgent({ manager, sessions, ledger }: ReturnType<typeof openSession>, n: number) {
	const task = { type: "worker", description: `Task ${n}`, prompt: "Work.", context: undefined };
	const id = manager.spawn({ ...task, background: true });
	await new Promise((resolve) => setImmediate(resolve));
	const session = sessions.get(id);
	sessions.delete(id);
	const usage = { input: 1000, output: 200, cost: 0.01 };
	const said = (text: string) => ({ role: "assistant", content: text, stopReason: "stop", usage });
	session?.emit({ type: "turn_start" });
	session?.emit({ type: "message_end", message: said(`${n} `.repeat(5000)) });
	const report = said(`Report ${n}. `.padEnd(2000, "x"));
	session?.emit({ type: "turn_start" });
	session?.emit({ type: "message_end", message: report });
	session?.emit({ type: "turn_end", message: report, toolResults: [] });
	session?.finishPrompt();
	await manager.wait(id);
	ledger.take();
}

test("500 finished agents cost less than 5 MB, with all that is kept of them (LEAK-01)", async () => {
	const session = openSession();
	for (let n = 0; n < 20; n++) await runAgent(session, n);
	const before = heapUsed();
	for (let n = 0; n < 500; n++) await runAgent(session, n);
	const cost = heapUsed() - before;
	expect(session.manager.listAgents()).toHaveLength(520);
	expect(session.manager.listAgents().at(-1)?.result).toMatch(/^Report 499\./);
	expect(session.entries.length).toBeGreaterThan(1500);
	expect(cost / 2 ** 20).toBeLessThan(5);
	expect(session.parts).toHaveLength(4);
});
