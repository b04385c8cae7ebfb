import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Host } from "@pi-subagents/e2e";
import {
	createTestHost,
	type HostDirectories,
	type HostLine,
	type ModelServer,
	type RpcTestHost,
} from "@pi-subagents/test-helpers";
import { compare, type Spent } from "../compare.js";
import { type HostBench, onBothHosts, WITHOUT_PROBE, withHostBench } from "../host.js";
import { notifications, told } from "../notifications.js";
import { benchFolder, probeFile } from "../paths.js";
import { readReports } from "../probe-reports.js";
import type { RawSessionsOptions } from "../raw-sessions.js";
import type { Result, Row } from "../result.js";

const CHILDREN = 30;
const AT_ONCE = 10;
const CHILD_PROMPT = 'Do it @@[{"text":"Done."}]@@';

/** 30 background children of one parent turn, through the whole extension in a real host. */
export const measureBackground: Row = () =>
	withHostBench((bench) => onBothHosts((host) => background(bench, host)));

async function background(
	{ server, extension }: HostBench,
	host: Host,
): Promise<readonly Result[]> {
	const { cli, node, version } = host;
	registerScripts(server);
	const command = { cli, node, server };
	const ours = await createTestHost({
		...command,
		mode: "rpc",
		extensions: [extension, probeFile],
		agentDirFiles: WITHOUT_PROBE,
	});
	// Only for its directories: a print host starts nothing by itself.
	const alone = await createTestHost({ ...command, mode: "print" });
	const raw = await startRawSessions(host, alone.directories);
	const wakeUps: number[] = [];
	try {
		const limits = { wall: 1.5, cpu: 1.5 };
		const { wall, cpu } = await compare<keyof Spent>({
			baseline: raw.round,
			ours: () => oursRound(ours, server, wakeUps),
			limits,
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
		raw.stop();
		await ours.dispose();
		await alone.dispose();
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
	const raw = { name: "start_raw", args: { prompt: CHILD_PROMPT } };
	server.script("raw", [{ tools: times(raw) }, { text: "Started." }]);
}

/** The baseline, in a process on the Node and with the SDK of the host. */
interface RawSessions {
	round(): Promise<Spent>;
	stop(): void;
}

async function startRawSessions(
	{ node, sdk }: Host,
	directories: HostDirectories,
): Promise<RawSessions> {
	const options: RawSessionsOptions = {
		sdk,
		agentDir: directories.agentDir,
		cwd: directories.project,
		parentPrompt: "Go @@#raw#@@",
		childPrompt: CHILD_PROMPT,
		children: CHILDREN,
		atOnce: AT_ONCE,
	};
	const child = fork(join(benchFolder, "dist", "raw-sessions.js"), [JSON.stringify(options)], {
		execPath: node,
		execArgv: [],
		cwd: directories.project,
		env: {
			PATH: process.env.PATH,
			HOME: directories.home,
			PI_CODING_AGENT_DIR: directories.agentDir,
			PI_OFFLINE: "1",
			PI_TELEMETRY: "0",
		},
	});
	const failed = once(child, "exit").then(() => {
		throw new Error("The raw sessions have ended by themselves.");
	});
	// It ends when it is stopped, too, and then nobody waits.
	failed.catch(() => undefined);
	const answer = async (): Promise<Spent | string> => {
		const [message] = await Promise.race([once(child, "message"), failed]);
		return message;
	};
	await answer();
	return {
		async round() {
			child.send("round");
			const spent = await answer();
			if (typeof spent === "string") throw new Error("The raw sessions measured nothing.");
			return spent;
		},
		stop: () => child.disconnect(),
	};
}

async function oursRound(
	host: RpcTestHost,
	server: ModelServer,
	wakeUps: number[],
): Promise<Spent> {
	await host.send({ type: "new_session" });
	const firstEvent = host.events.length;
	const firstRequest = server.requests.length;
	const allTold = server
		.waitForRequest((request) => request.index >= firstRequest && told(request) === CHILDREN)
		.then(async (request) => {
			await request.ended;
			// The host has not heard of it yet, so the next end of a run is the one with this answer.
			return { request, seen: host.events.length };
		});
	await host.prompt("Go @@#ours#@@");
	const { request, seen } = await allTold;
	await host.waitFor((event) => runsIn([event]).some((run) => run.at === "end"), seen);
	wakeUps.push(notifications(request).length);

	const runs = runsIn(host.events.slice(firstEvent));
	const [first, last] = [runs[0], runs.at(-1)];
	if (first === undefined || last === undefined) throw new Error("The host measured nothing.");
	return { wall: last.now - first.now, cpu: last.cpu - first.cpu };
}

function runsIn(events: readonly HostLine[]) {
	return readReports(events).filter((report) => report.probe === "run");
}
