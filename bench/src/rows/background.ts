import type { Host } from "@pi-subagents/e2e";
import {
	createTestHost,
	type HostLine,
	type ModelRequest,
	type ModelServer,
	type RpcTestHost,
} from "@pi-subagents/test-helpers";
import { compare, type Spent } from "../compare.js";
import { type HostBench, onBothHosts, WITHOUT_PROBE, withHostBench } from "../host.js";
import { notifications, told } from "../notifications.js";
import { probeFile } from "../paths.js";
import { ALL_ENDED } from "../probe.js";
import { readReports } from "../probe-reports.js";
import type { Result, Row } from "../result.js";

const CHILDREN = 30;
const CHILD_PROMPT = 'Do it @@[{"text":"Done."}]@@';

/**
 * 30 background children of one parent turn, through the whole extension in a real host, against the same turn in the same
 * host with a tool that does nothing but make, prompt and close a session for each.
 */
export const measureBackground: Row = () =>
	withHostBench((bench) => onBothHosts((host) => background(bench, host)));

async function background(
	{ server, extension }: HostBench,
	{ cli, node, version }: Host,
): Promise<readonly Result[]> {
	registerScripts(server);
	const host = await createTestHost({
		mode: "rpc",
		cli,
		node,
		server,
		extensions: [extension, probeFile],
		agentDirFiles: WITHOUT_PROBE,
	});
	const wakeUps: number[] = [];
	try {
		const { wall, cpu } = await compare<keyof Spent>({
			baseline: async () => (await round(host, server, "raw", isToldAtLast)).spent,
			ours: async () => {
				const { spent, request } = await round(host, server, "ours", isToldOfAll);
				wakeUps.push(notifications(request).length);
				return spent;
			},
			limits: { wall: 1.5, cpu: 1.5 },
		});
		const what = `${version}: ${CHILDREN} background children, against raw sessions`;
		const limit = { of: "ratio", most: 1.5 } as const;
		return [
			{ what: `${what}: time`, unit: "ms", ...wall, limit },
			{ what: `${what}: CPU`, unit: "ms", ...cpu, limit },
			{
				what: `${version}: wake-ups of their parent, the most of ${wakeUps.length} rounds`,
				unit: "",
				ours: Math.max(...wakeUps),
				limit: { of: "ours", most: 1, least: 1 },
			},
		];
	} finally {
		await host.dispose();
	}
}

function registerScripts(server: ModelServer): void {
	server.reset();
	const args = {
		prompt: CHILD_PROMPT,
		description: "A task",
		subagent_type: "general-purpose",
		run_in_background: true,
	};
	const times = <T>(value: T): readonly T[] => Array.from({ length: CHILDREN }, () => value);
	server.script("ours", [{ tools: times({ name: "subagent", args }) }, { text: "Started." }]);
	const raw = { name: "raw_background", args: { prompt: CHILD_PROMPT } };
	server.script("raw", [{ tools: times(raw) }, { text: "Started." }]);
}

const isToldOfAll = (request: ModelRequest): boolean => told(request) === CHILDREN;
const isToldAtLast = (request: ModelRequest): boolean => request.lastUserText === ALL_ENDED;

/** From the start of the parent's turn to the end of the one in which it is told that all children have ended. */
async function round(
	host: RpcTestHost,
	server: ModelServer,
	script: "ours" | "raw",
	isLast: (request: ModelRequest) => boolean,
): Promise<{ readonly spent: Spent; readonly request: ModelRequest }> {
	await host.send({ type: "new_session" });
	const firstEvent = host.events.length;
	const firstRequest = server.requests.length;
	const allTold = server
		.waitForRequest((request) => request.index >= firstRequest && isLast(request))
		.then(async (request) => {
			await request.ended;
			// The host has not heard of it yet, so the next end of a run is the one with this answer.
			return { request, seen: host.events.length };
		});
	await host.prompt(`Go @@#${script}#@@`);
	const { request, seen } = await allTold;
	await host.waitFor((event) => runsIn([event]).some((run) => run.at === "end"), seen);

	const runs = runsIn(host.events.slice(firstEvent));
	const [first, last] = [runs[0], runs.at(-1)];
	if (first === undefined || last === undefined) throw new Error("The host measured nothing.");
	return { spent: { wall: last.now - first.now, cpu: last.cpu - first.cpu }, request };
}

function runsIn(events: readonly HostLine[]) {
	return readReports(events).filter((report) => report.probe === "run");
}
