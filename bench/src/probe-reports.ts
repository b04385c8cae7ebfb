import type { HostLine } from "@pi-subagents/test-helpers";
import type { ProbeReport } from "./probe.js";

/** What the probe in a host said among these events. */
export function readReports(events: readonly HostLine[]): readonly ProbeReport[] {
	return events.flatMap((event) => {
		if (event.type !== "extension_ui_request" || event.method !== "notify") return [];
		const report = parse(event.message);
		return report === undefined ? [] : [report];
	});
}

function parse(message: unknown): ProbeReport | undefined {
	if (typeof message !== "string" || !message.startsWith('{"probe":')) return undefined;
	const report: ProbeReport = JSON.parse(message);
	return report;
}
