import type { Host } from "@pi-subagents/e2e";
import { createTestHost, type HostLine } from "@pi-subagents/test-helpers";
import { type HostBench, onBothHosts, WITHOUT_PROBE, withHostBench } from "../host.js";
import { probeFile } from "../paths.js";
import type { ProbedCall } from "../probe.js";
import { readReports } from "../probe-reports.js";
import type { Result, Row } from "../result.js";
import { median } from "../statistics.js";

/** Pairs of calls, one of each tool in turn. The first ones, which compile everything, do not count. */
const PAIRS = 44;
const WARM_UP = 4;

/** What a foreground child takes longer than one that is made with the host's own functions in the same process. */
export const measureForeground: Row = () =>
	withHostBench((bench) => onBothHosts((host) => foreground(bench, host)));

async function foreground(
	{ server, extension }: HostBench,
	{ cli, node, version }: Host,
): Promise<readonly Result[]> {
	server.reset();
	const prompt = 'Do it @@[{"text":"Done."}]@@';
	const raw = { name: "raw_child", args: { prompt } };
	const ours = {
		name: "subagent",
		args: { prompt, description: "A task", subagent_type: "general-purpose" },
	};
	const pairs = Array.from({ length: PAIRS }, (_, index) =>
		index % 2 === 0 ? [raw, ours] : [ours, raw],
	);
	server.script("pairs", [...pairs.flat().map((tool) => ({ tools: [tool] })), { text: "Done." }]);
	const extensions = [extension, probeFile];
	const agentDirFiles = WITHOUT_PROBE;
	const host = await createTestHost({ mode: "rpc", cli, node, extensions, server, agentDirFiles });
	try {
		const { events } = await host.prompt("Go @@#pairs#@@");
		const raws = callsOf(events, "raw_child");
		const subagents = callsOf(events, "subagent");
		const added = (what: "wall" | "cpu") => {
			const pairs = raws.map((raw, index) => [raw[what], subagents[index]?.[what] ?? 0] as const);
			const baseline = median(pairs.map(([raw]) => raw));
			return {
				unit: "ms",
				baseline,
				ours: baseline + median(pairs.map(([raw, subagent]) => subagent - raw)),
				ratio: median(pairs.map(([raw, subagent]) => subagent / raw)),
				limit: { of: "added", most: 15 },
			} as const;
		};
		const what = `${version}: a foreground child, against a raw one`;
		return [
			{ what: `${what}: time`, ...added("wall") },
			{ what: `${what}: CPU`, ...added("cpu") },
		];
	} finally {
		await host.dispose();
	}
}

function callsOf(events: readonly HostLine[], tool: string): readonly ProbedCall[] {
	const calls = readReports(events)
		.flatMap((report) => (report.probe === "tools" ? report.calls : []))
		.filter((call) => call.tool === tool);
	if (calls.length !== PAIRS)
		throw new Error(`${calls.length} of ${PAIRS} calls of ${tool} ended.`);
	return calls.slice(WARM_UP);
}
