import { readFileSync } from "node:fs";
import { type HostLine, parseLine } from "./host-line.js";
import type { MockSession } from "./mock-session.js";

/** A version of the host whose events were recorded. */
export type TraceHost = "0.73.1" | "1.6.0";

/** What happened in a recorded session. */
export type TraceName = (typeof NAMES)[number];

/** What the subscribers of a real session heard, in order. Long texts are cut and end with `…`. */
export interface Trace {
	readonly host: TraceHost;
	readonly name: TraceName;
	readonly events: readonly HostLine[];
}

/** The same on both hosts; `output-limit-retried` is a retry on 1.6.0 only. */
const NAMES = [
	"abort-before-first-token",
	"abort-in-text",
	"abort-in-tool",
	"compaction-aborted",
	"compaction-failed",
	"compaction-in-run",
	"compaction-manual",
	"compaction-overflow",
	"compaction-threshold",
	"connection-lost",
	"custom-messages",
	"dispose-in-run",
	"error-fatal",
	"follow-up",
	"output-limit",
	"output-limit-retried",
	"plain",
	"retry-aborted",
	"retry-exhausted",
	"retry-succeeded",
	"steer-idle",
	"steer-in-text",
	"steer-in-tool",
	"tool",
	"tool-errors",
	"tool-terminates",
	"tools-parallel",
] as const;

const RECORDED: Readonly<Record<TraceHost, readonly TraceName[]>> = {
	"0.73.1": NAMES,
	"1.6.0": NAMES,
};

/** The names of the traces of a host. */
export function traceNames(host: TraceHost): readonly TraceName[] {
	return RECORDED[host];
}

/** Reads a trace from the package; every call returns events of its own. Throws if there is no such trace. */
export function loadTrace(host: TraceHost, name: TraceName): Trace {
	if (!traceNames(host)?.includes(name)) {
		throw new Error(`There is no trace "${name}" of host ${host}; traceNames(host) lists them.`);
	}
	const file = new URL(`../traces/${host}/${name}.jsonl`, import.meta.url);
	const lines = readFileSync(file, "utf8").split("\n").map(parseLine);
	const events = lines.filter((line) => line !== undefined);
	return { host, name, events };
}

/** Emits the events of a trace on the session, one after the other. */
export function replayTrace(
	session: Pick<MockSession, "emit">,
	trace: Pick<Trace, "events">,
): void {
	for (const event of trace.events) session.emit(event);
}
