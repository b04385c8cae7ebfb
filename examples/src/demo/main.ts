import { createTestHost } from "@pi-subagents/test-helpers";
import { type DemoRequest, HELP, parseArguments } from "./arguments.js";
import { checkDelegation } from "./check-delegation.js";
import { type Cleanup, createCleanup } from "./cleanup.js";
import { oneLine, seconds } from "./lines.js";
import { createNarrator } from "./narrate.js";
import { createPaint } from "./paint.js";
import { modelEnvironment } from "./real-model.js";
import { runDelegation } from "./run-delegation.js";
import { ownExtension, type StageOptions, setStage } from "./set-stage.js";
import { summarize } from "./summarize.js";
import { DEMO_PROMPT } from "./tasks.js";

type Run = DemoRequest & { readonly kind: "run" };

const start = Date.now();
const { stdout } = process;
const paint = createPaint(stdout.isTTY && stdout.hasColors());
const width = Math.max(60, Math.min(stdout.columns ?? 120, 140));
const print = (line: string): void => void stdout.write(`${line}\n`);
const step = (text: string): void => print(paint("dim", `${text}…`));

/** Milliseconds that the scripted model takes for one answer. */
const PACE = { delegation: 250, background: 4000 };
/** Milliseconds without news: scripted answers come at once, a real model may think for long. */
const PATIENCE = { scripted: 30_000, real: 300_000 };

async function main(request: DemoRequest, cleanup: Cleanup): Promise<number> {
	if (request.kind === "help") {
		stdout.write(HELP);
		return 0;
	}
	if (request.kind === "wrong") return refuse(request.problem);
	const { host, model } = request;
	const found = model === undefined ? { env: {} } : modelEnvironment(model, process.env);
	if ("problem" in found) return refuse(found.problem);
	const plan = request.tui ? "background" : "delegation";
	const options = { host, model, env: found.env, script: { plan, pace: PACE[plan] } } as const;
	return request.tui
		? openTui({ ...options, onStep: step }, cleanup)
		: demonstrate(request, { ...options, onStep: step }, cleanup);
}

async function demonstrate(request: Run, options: StageOptions, cleanup: Cleanup): Promise<number> {
	const { title, ...stage } = await setStage(options, cleanup);
	step("Installing it with `pi install` in an empty home, and starting pi");
	const extensions = [ownExtension("forward-events")];
	const starting = createTestHost({ ...stage, extensions, mode: "rpc" });
	const host = await cleanup.keep(starting, (each) => each.dispose());
	await host.send({ type: "get_state" });
	print(`${paint("bold", title)}, is asked:\n`);
	for (const line of DEMO_PROMPT.split("\n")) {
		if (line !== "") print(paint("dim", `  ${oneLine(line, width - 2)}`));
	}
	print("");

	const asked = Date.now();
	const elapsed = (): number => Date.now() - asked;
	const tell = createNarrator({ paint, width, elapsed, print });
	const patience = request.model === undefined ? PATIENCE.scripted : PATIENCE.real;
	const delegation = await runDelegation(host, { prompt: DEMO_PROMPT, patience, tell });
	const exit = await host.close();

	print("");
	for (const line of summarize(delegation, paint, width)) print(line);
	const problems = [
		...checkDelegation(delegation),
		...(exit.code === 0 ? [] : [`pi ended with code ${exit.code}: ${exit.stderr.trim()}`]),
	];
	for (const problem of problems) print(`${paint("red", "✗")} ${problem}`);
	if (problems.length > 0) return 1;
	print(`${paint("green", "✓")} All as it should be, after ${seconds(Date.now() - start)}.`);
	return 0;
}

async function openTui(options: StageOptions, cleanup: Cleanup): Promise<number> {
	const { title, ...stage } = await setStage(options, cleanup);
	step(`Opening ${title}`);
	const extensions = [ownExtension("prefill-editor")];
	const opening = createTestHost({ ...stage, extensions, mode: "terminal" });
	const host = await cleanup.keep(opening, (each) => each.dispose());
	const { code } = await host.run();
	return code ?? 1;
}

function refuse(problem: string): number {
	process.stderr.write(`${problem}\n`);
	return 2;
}

const cleanup = createCleanup();
let isLeaving = false;

/** Nothing is left behind, also when the person or the terminal goes away. */
function leave(code: number): void {
	isLeaving = true;
	void cleanup.run().finally(() => process.exit(code));
}
process.once("SIGHUP", () => leave(129));
process.once("SIGINT", () => leave(130));
process.once("SIGTERM", () => leave(143));
stdout.on("error", () => leave(1));

try {
	process.exitCode = await main(parseArguments(process.argv.slice(2)), cleanup);
} catch (error) {
	process.exitCode = 1;
	const reason = error instanceof Error ? error.message : String(error);
	if (!isLeaving) process.stderr.write(`The demo failed: ${reason}\n`);
} finally {
	await cleanup.run();
}
