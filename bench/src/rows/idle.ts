import type { Host } from "@pi-subagents/e2e";
import { AgentManager, systemClock } from "@pi-subagents/runner";
import { leakCheck, type MockSession, type ModelServer } from "@pi-subagents/test-helpers";
import { createActivityStore } from "../extension-parts.js";
import { type HostBench, onBothHosts, withHostBench } from "../host.js";
import { type IdleHost, startRpcHost, startTerminalHost } from "../idle-hosts.js";
import { told } from "../notifications.js";
import { processorTime } from "../processor-time.js";
import type { Result, Row } from "../result.js";
import { shortSession } from "../sessions.js";

/** How long after the last agent has ended everything has to be quiet. */
const QUIET_AFTER_MS = 1000;
/** How long it is watched then. */
const WATCHED_MS = 10_000;
const AGENTS = 3;

/** What is left when all agents have ended: nothing is printed, no CPU is used, nothing is held. */
export const measureIdle: Row = async () => [
	...(await withHostBench((bench) => onBothHosts((host) => idleHosts(bench, host)))),
	...(await leftovers()),
];

async function idleHosts(bench: HostBench, host: Host): Promise<readonly Result[]> {
	return [
		...(await idlePair(bench, host, "RPC mode", startRpcHost)),
		...(await idlePair(bench, host, "terminal", startTerminalHost)),
	];
}

/** A host that had background agents, and one without the extension, idle at the same time. */
async function idlePair(
	{ server, extension }: HostBench,
	host: Host,
	mode: string,
	start: typeof startRpcHost,
): Promise<readonly Result[]> {
	registerScripts(server);
	const alone = await start(host, server, [], "Go @@#alone#@@");
	const ours = await start(host, server, [extension], "Go @@#agents#@@");
	try {
		await ended(server);
		await pause(QUIET_AFTER_MS);
		const before = [await read(alone), await read(ours)] as const;
		await pause(WATCHED_MS);
		const after = [await read(alone), await read(ours)] as const;
		const grown = (side: 0 | 1, what: keyof Reading): number =>
			after[side][what] - before[side][what];

		const seconds = WATCHED_MS / 1000;
		const what = `${host.version}, ${mode}, ${seconds} s idle after ${AGENTS} agents, against pi alone`;
		return [
			{
				what: `${what}: printed`,
				unit: "bytes",
				baseline: grown(0, "printed"),
				ours: grown(1, "printed"),
				limit: { of: "ours", most: 0 },
			},
			{
				what: `${what}: CPU`,
				unit: "ms",
				baseline: grown(0, "cpu"),
				ours: grown(1, "cpu"),
				// 0.2 %, by which the readings of an idle pi differ, too.
				limit: { of: "added", most: 2 * seconds },
			},
		];
	} finally {
		await alone.dispose();
		await ours.dispose();
	}
}

function registerScripts(server: ModelServer): void {
	server.reset();
	const args = {
		prompt: 'Do it @@[{"text":"Done."}]@@',
		description: "A task",
		subagent_type: "general-purpose",
		run_in_background: true,
	};
	const tools = Array.from({ length: AGENTS }, () => ({ name: "subagent", args }));
	server.script("agents", [{ tools }, { text: "Started." }]);
	server.script("alone", [{ text: "Started." }]);
}

/** Resolves when both parents have their last answer. */
async function ended(server: ModelServer): Promise<void> {
	const alone = server.waitForRequest((request) => request.lastUserText.includes("#alone#"));
	const ours = server.waitForRequest((request) => told(request) === AGENTS);
	for (const request of await Promise.all([alone, ours])) await request.ended;
}

interface Reading {
	readonly printed: number;
	readonly cpu: number;
}

async function read(host: IdleHost): Promise<Reading> {
	return { printed: host.printed, cpu: await processorTime(host.pid) };
}

function pause(ms: number): Promise<void> {
	return new Promise((resolve) => setTimeout(resolve, ms));
}

/** What 200 agents leave behind in a manager and in what the extension draws from. */
async function leftovers(): Promise<readonly Result[]> {
	const leaks = leakCheck();
	const sessions: MockSession[] = [];
	const manager = new AgentManager({
		createSession: async () => {
			const session = shortSession();
			sessions.push(session);
			return session;
		},
		keepSessions: false,
	});
	const activities = createActivityStore(manager, systemClock);
	const stop = activities.subscribe(() => {});
	const ids = Array.from({ length: 200 }, () =>
		manager.spawn({
			type: "bench",
			description: "A task",
			prompt: "Do it.",
			context: undefined,
			background: true,
		}),
	);
	await manager.waitForAll();
	await pause(QUIET_AFTER_MS);
	const alive = manager.listAgents().filter((record) => !record.isTerminal).length;
	const listening = sessions.reduce((sum, session) => sum + session.subscriberCount, 0);
	const activity = ids.filter((id) => activities.get(id) !== undefined).length;
	const timers = Object.values(await leaks.check()).reduce((sum, count) => sum + count, 0);
	stop();
	activities.stop();
	const left = (what: string, ours: number): Result => ({
		what: `1 s after 200 agents: ${what}`,
		unit: "",
		ours,
		limit: { of: "ours", most: 0 },
	});
	return [
		left("records that have not ended, and activities", alive + activity),
		left("listeners on their sessions", listening),
		left("timers and handles", timers),
	];
}
