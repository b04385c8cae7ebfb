import type { Host } from "@pi-subagents/e2e";
import { createTestHost } from "@pi-subagents/test-helpers";
import { type HostBench, onBothHosts, withHostBench } from "../host.js";
import { probeFile } from "../paths.js";
import { readReports } from "../probe-reports.js";
import type { Result, Row } from "../result.js";
import { median } from "../statistics.js";

/** Pairs of sessions, one of each kind in turn. The first ones, which compile everything, do not count. */
const PAIRS = 64;
const WARM_UP = 8;

/** What it takes from the call of the tool until the child is ready for its first prompt. */
export const measureSpawn: Row = () =>
	withHostBench((bench) => onBothHosts((host) => spawn(bench, host)));

async function spawn(
	{ server, extension }: HostBench,
	{ cli, node, name, version }: Host,
): Promise<readonly Result[]> {
	server.reset();
	const raw = { name: "raw_session", args: {} };
	const ours = {
		name: "subagent",
		args: { prompt: "Do it.", description: "A task", subagent_type: "bare" },
	};
	const pairs = Array.from({ length: PAIRS }, (_, index) =>
		index % 2 === 0 ? [raw, ours] : [ours, raw],
	);
	server.script("pairs", [...pairs.flat().map((tool) => ({ tools: [tool] })), { text: "Done." }]);
	const extensions = [extension, probeFile];
	// A raw session loads no extensions either.
	const agentFiles = { bare: "---\ndescription: A child\nextensions: none\n---\nDo the task." };
	const host = await createTestHost({ mode: "rpc", cli, node, extensions, server, agentFiles });
	try {
		const { events } = await host.prompt("Go @@#pairs#@@");
		const sessions = readReports(events).flatMap((report) =>
			report.probe === "tools" ? report.sessions : [],
		);
		const times = (tool: string, what: "wall" | "cpu"): readonly number[] => {
			const ended = sessions.filter((session) => session.tool === tool);
			if (ended.length !== PAIRS) throw new Error(`${ended.length} of ${PAIRS} of ${tool}.`);
			return ended.slice(WARM_UP).map((session) => session[what]);
		};
		const against = (tool: string, what: "wall" | "cpu") => {
			const raws = times("raw_session", what);
			const children = times(tool, what);
			return {
				unit: "ms",
				baseline: median(raws),
				ours: median(children),
				ratio: median(raws.map((time, index) => (children[index] ?? 0) / time)),
			};
		};
		const promised = name === "current";
		return [
			{
				what: `${version}: a child's session, against a raw one`,
				...against("child session", "wall"),
				...(promised && { limit: { of: "ratio", most: 1.3 } as const }),
			},
			{
				what: `${version}: from the call to the first prompt`,
				...against("subagent", "wall"),
				...(promised && { limit: { of: "ours", most: 15 } as const }),
			},
			{
				what: `${version}: from the call to the first prompt: CPU`,
				...against("subagent", "cpu"),
				...(promised && { limit: { of: "ours", most: 15 } as const }),
			},
		];
	} finally {
		await host.dispose();
	}
}
