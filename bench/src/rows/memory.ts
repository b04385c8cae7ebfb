import { AgentManager } from "@pi-subagents/runner";
import { atOnce } from "../at-once.js";
import type { Result } from "../result.js";
import { startSessionFactory } from "../sessions.js";

const COUNT = 500;
const AT_ONCE = 10;

/** What finished agents leave on the heap when sessions are not kept. */
export async function measureMemory(): Promise<readonly Result[]> {
	const factory = await startSessionFactory();
	try {
		const raw = (count: number) => () =>
			atOnce(count, AT_ONCE, async () => {
				const session = await factory.create();
				await session.prompt("Do it.");
				session.dispose();
			});
		const manager = new AgentManager({
			createSession: factory.create,
			keepSessions: false,
			maxConcurrent: AT_ONCE,
		});
		const managed = async (): Promise<void> => {
			for (let index = 0; index < COUNT; index++) {
				manager.spawn({
					type: "bench",
					description: "A task",
					prompt: "Do it.",
					context: undefined,
					background: true,
				});
			}
			await manager.waitForAll();
		};
		// What is compiled and cached once is not what an agent costs.
		await raw(100)();
		const baseline = await heapGrowth(raw(COUNT));
		const ours = await heapGrowth(managed);
		if (manager.listAgents().length !== COUNT) throw new Error("Agents are missing.");
		return [
			{
				what: `heap after ${COUNT} finished agents, against ${COUNT} raw sessions disposed`,
				unit: "MB",
				baseline: baseline / 1e6,
				ours: ours / 1e6,
				limit: { of: "ours", most: 5 },
				note: `${((ours - baseline) / COUNT / 1000).toFixed(2)} KB more for each agent`,
			},
		];
	} finally {
		await factory.close();
	}
}

/** Bytes that are still in use after `work`. */
async function heapGrowth(work: () => Promise<void>): Promise<number> {
	const before = await heapUsed();
	await work();
	return (await heapUsed()) - before;
}

async function heapUsed(): Promise<number> {
	const { gc } = globalThis;
	if (gc === undefined) throw new Error("Start this with --expose-gc.");
	// Finalizers and weak references let go of more in later turns.
	for (let turn = 0; turn < 5; turn++) {
		await new Promise((resolve) => setImmediate(resolve));
		gc();
	}
	return process.memoryUsage().heapUsed;
}
