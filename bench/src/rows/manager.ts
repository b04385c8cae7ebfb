import type { SubagentSession } from "@pi-subagents/core";
import { AgentManager } from "@pi-subagents/runner";
import { atOnce } from "../at-once.js";
import { compare, spend } from "../compare.js";
import type { Result, Row } from "../result.js";
import { shortSession, startSessionFactory } from "../sessions.js";

const AT_ONCE = 10;
const TASK = "Do it.";

/** What the manager adds to making, prompting and closing 200 sessions. */
export async function measureManager(): Promise<readonly Result[]> {
	const factory = await startSessionFactory();
	try {
		const limits = { wall: 1.05, cpu: 1.05 };
		const { wall, cpu } = await compare({ ...sides(200, factory.create), limits });
		const limit = { of: "ratio", most: 1.05 } as const;
		const real = "200 real sessions through the manager, against a plain loop";
		return [
			{ what: `${real}: time`, unit: "ms", ...wall, limit },
			{ what: `${real}: CPU`, unit: "ms", ...cpu, limit },
			await mocked("200 mock sessions through the manager, against a plain loop", 200),
		];
	} finally {
		await factory.close();
	}
}

/** What queueing costs, with sessions that cost nothing. */
export const measureQueue: Row = async () => [
	await mocked("1000 queued runs of mock sessions, against a p-limit", 1000),
];

async function mocked(what: string, count: number): Promise<Result> {
	// They wait for nothing, so the CPU time is all of it.
	const { cpu } = await compare({
		...sides(count, () => Promise.resolve(shortSession())),
		leastRounds: 25,
	});
	return { what, unit: "ms", ...cpu };
}

/** The same sessions made, prompted and closed with and without the manager. */
function sides(count: number, createSession: () => Promise<SubagentSession>) {
	return {
		baseline: () =>
			spend(() =>
				atOnce(count, AT_ONCE, async () => {
					const session = await createSession();
					await session.prompt(TASK);
					await session.dispose();
				}),
			),
		ours: () =>
			spend(async () => {
				const manager = new AgentManager({
					createSession,
					keepSessions: false,
					maxConcurrent: AT_ONCE,
				});
				for (let index = 0; index < count; index++) {
					manager.spawn({
						type: "bench",
						description: "A task",
						prompt: TASK,
						context: undefined,
						background: true,
					});
				}
				await manager.waitForAll();
				for (const record of manager.listAgents()) {
					if (record.status !== "completed") throw new Error(`${record.status}: ${record.error}`);
				}
			}),
	};
}
