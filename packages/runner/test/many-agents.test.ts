import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { leakCheck, type ModelServer, startModelServer } from "@pi-subagents/test-helpers";
import { expect, test } from "vitest";
import { AgentManager } from "../src/index.js";
import { realSession, scripted } from "./real-agent.js";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/** In bytes. */
function heapUsed(): number {
	collectGarbage();
	collectGarbage();
	return process.memoryUsage().heapUsed;
}

/** So many background agents of one manager, each with a request to the model; the order in which they started. */
async function runAgents(server: ModelServer, count: number): Promise<readonly string[]> {
	const started: string[] = [];
	let ids = 0;
	const manager = new AgentManager({
		createSession: () => realSession(server),
		keepSessions: false,
		maxConcurrent: 16,
		newId: () => `a${++ids}`,
	});
	manager.subscribe(({ type, record }) => {
		if (type === "run_started") started.push(record.id);
	});
	for (let index = 0; index < count; index++) {
		manager.spawn({
			type: "worker",
			description: "Answer",
			prompt: scripted(`Agent ${index}`, [{ text: `Answer ${index}.` }]),
			context: undefined,
			background: true,
		});
	}
	await manager.waitForAll();
	const results = manager.listAgents().map(({ status, result }) => `${status}: ${result}`);
	expect(results).toEqual(
		Array.from({ length: count }, (_, index) => `completed: Answer ${index}.`),
	);
	await manager.dispose();
	return started;
}

test("200 agents at a limit of 16 all end, start in their order and leave nothing (CONC-01, LEAK-01)", {
	timeout: 60_000,
}, async () => {
	const warnings: Error[] = [];
	const onWarning = (warning: Error): void => void warnings.push(warning);
	process.on("warning", onWarning);
	const leaks = leakCheck();
	const server = await startModelServer();
	// Whatever is loaded and compiled once.
	await runAgents(server, 32);
	const before = heapUsed();
	const started = await runAgents(server, 200);
	expect(started).toEqual(Array.from({ length: 200 }, (_, index) => `a${index + 1}`));
	expect(heapUsed() / before).toBeLessThan(1.1);
	await server.close();
	expect(await leaks.check()).toEqual({});
	process.off("warning", onWarning);
	expect(warnings).toEqual([]);
});
