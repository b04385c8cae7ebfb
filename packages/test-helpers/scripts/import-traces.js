// Makes the traces that ship from recordings of a real session:
//   node scripts/import-traces.js RECORDINGS HOST
// RECORDINGS is a folder of JSON lines, one file per scenario, each line an event with `src` (who heard it) and `t`
// (milliseconds since the start); HOST is the version of the host, for example 1.6.0.
// What the session's subscribers heard is kept, in the form and order in which they heard it, without what no one reads.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** File names of the recordings and of the traces. */
const SCENARIOS = {
	abort_before_first_token: "abort-before-first-token",
	abort_stream: "abort-in-text",
	abort_tool: "abort-in-tool",
	compact_fail: "compaction-failed",
	compact_manual: "compaction-manual",
	compact_manual_abort: "compaction-aborted",
	compact_midrun: "compaction-in-run",
	compact_overflow: "compaction-overflow",
	compact_threshold: "compaction-threshold",
	custom_msg: "custom-messages",
	dispose_mid: "dispose-in-run",
	drop: "connection-lost",
	error_fatal: "error-fatal",
	followup: "follow-up",
	length: "output-limit-retried",
	length_full: "output-limit",
	plain: "plain",
	retry_abort: "retry-aborted",
	retry_exhausted: "retry-exhausted",
	retry_ok: "retry-succeeded",
	steer: "steer-in-tool",
	steer_idle: "steer-idle",
	steer_noTool: "steer-in-text",
	terminate: "tool-terminates",
	tool: "tool",
	toolerr: "tool-errors",
	tools2: "tools-parallel",
};

/** Longer texts are cut, all in the same way, so that pieces and whole still fit where there is one piece. */
const LONGEST = 100;
const KEPT = 40;

const [recordings, host] = process.argv.slice(2);
if (recordings === undefined || host === undefined) {
	console.error("Usage: node scripts/import-traces.js RECORDINGS HOST");
	process.exit(1);
}
const target = join(import.meta.dirname, "..", "traces", host);
mkdirSync(target, { recursive: true });
for (const [recording, name] of Object.entries(SCENARIOS)) {
	const lines = readFileSync(join(recordings, `${recording}.jsonl`), "utf8")
		.trim()
		.split("\n");
	const events = lines.map((line) => JSON.parse(line)).filter((event) => event.src === "session");
	const kept = events.map(({ src, t, ...event }) => JSON.stringify(shortened(slim(event))));
	writeFileSync(join(target, `${name}.jsonl`), `${kept.join("\n")}\n`);
}

/** Of a partial message, only what it says so far is of interest; the rest comes with its end. */
function slim(event) {
	if (event.type !== "message_update") return event;
	return { ...event, message: { role: event.message.role, content: event.message.content } };
}

function shortened(value) {
	if (typeof value === "string") {
		return value.length > LONGEST ? `${value.slice(0, KEPT)}…` : value;
	}
	if (Array.isArray(value)) return value.map(shortened);
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, shortened(part)]));
}
