import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseArguments } from "../src/demo/arguments.js";
import { modelEnvironment } from "../src/demo/real-model.js";

const demo = resolve(import.meta.dirname, "..", "dist", "demo", "main.js");
const folder = realpathSync(mkdtempSync(join(tmpdir(), "pi-subagents-demo-")));
beforeAll(() => {
	// Without its compile cache, every start of pi 0.73.1 takes seconds.
	const cache = join(tmpdir(), "jiti");
	mkdirSync(cache, { recursive: true });
	symlinkSync(cache, join(folder, "jiti"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Ended {
	readonly code: number | null;
	readonly stdout: string;
	readonly stderr: string;
}

/** Runs the demo with its temporary files in the test's folder; `onOutput` may send it a signal. */
function run(
	args: readonly string[],
	onOutput: (stdout: string, kill: (signal: NodeJS.Signals) => void) => void = () => undefined,
): Promise<Ended> {
	const child = spawn(process.execPath, [demo, ...args], {
		env: { ...process.env, TMPDIR: folder },
		stdio: ["ignore", "pipe", "pipe"],
	});
	let stdout = "";
	let stderr = "";
	child.stdout.setEncoding("utf8").on("data", (text: string) => {
		stdout += text;
		onOutput(stdout, (signal) => child.kill(signal));
	});
	child.stderr.setEncoding("utf8").on("data", (text: string) => {
		stderr += text;
	});
	return new Promise((done) => child.once("close", (code) => done({ code, stdout, stderr })));
}

/** What is left in the temporary folder, but the host's compile cache. */
function leftovers(): readonly string[] {
	return readdirSync(folder).filter((name) => name.startsWith("pi-"));
}

describe("the demo on pi 0.73.1", { timeout: 120_000 }, () => {
	test("lets three agents work, steers one, and tells what came of it", async () => {
		const { code, stdout, stderr } = await run([]);
		const summary = stdout.slice(stdout.indexOf("\n✓ "));
		expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: "" });
		expect(stdout).toContain("pi 0.73.1 on Node");

		const used = String.raw`  completed, \d turns, [1-9]\d* tool uses, [1-9]\d* tokens, \$0\.\d*[1-9]\d*, \d+\.\ds\n`;
		const how = '(general-purpose, background, steered "Also name the longest source file.")';
		expect(summary).toMatch(
			new RegExp(
				String.raw`✓ Count the tests \(general-purpose, foreground\)\n${used}  There are [1-9]\d* test files`,
			),
		);
		expect(summary).toMatch(
			new RegExp(
				String.raw`✓ List the packages \(Explore, background\)\n${used}  There are [1-9]\d* packages`,
			),
		);
		expect(summary).toContain(`✓ Measure the source ${how}\n`);
		expect(summary).toMatch(
			new RegExp(
				String.raw`${used}  The packages have [1-9]\d* lines[^✓]* The longest\s+file is packages/`,
			),
		);
		expect(summary).toMatch(/^3 agents: 1\d tool uses, [1-9]\d{3,} tokens, \$0\.0\d*[1-9]/m);
		expect(stdout).toMatch(/Measure the source {2}← is told: Also name the longest source file\./);
		expect(stdout).toMatch(/✓ All as it should be, after \d+\.\ds\.\n$/);
		expect(leftovers()).toEqual([]);
	});

	test("leaves nothing behind when it is interrupted", async () => {
		const { code } = await run([], (stdout, kill) => {
			if (stdout.includes("▶")) kill("SIGINT");
		});
		expect(code).toBe(130);
		expect(leftovers()).toEqual([]);
	});
});

describe("the demo's command line", () => {
	test("has help", async () => {
		const { code, stdout, stderr } = await run(["--help"]);
		expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
		expect(stdout).toMatch(/^pnpm demo \[options\]\n/);
	});

	test("refuses what it cannot do", async () => {
		const stderr = '--host is "old"; it must be "released" or "current".\n';
		expect(await run(["--host", "old"])).toEqual({ code: 2, stdout: "", stderr });
	});

	test.each([
		["--host", '--host is without a value; it must be "released" or "current".'],
		["--model gpt", '--model is "gpt"; it must be "provider/id", for example "openai/gpt-5-mini".'],
		["--tui=1", "--tui takes no value."],
		["--verbose", "The option --verbose is unknown; there are --host, --model, --tui and --help."],
		["now", '"now" is not an option; see --help.'],
	])("says in one sentence what is wrong with %s", (args, problem) => {
		expect(parseArguments(args.split(" "))).toEqual({ kind: "wrong", problem });
	});

	test("takes a host, a model and the terminal in any order", () => {
		expect(parseArguments([])).toEqual({ kind: "run", host: "released", tui: false });
		expect(parseArguments(["--", "--tui", "--model=openrouter/a/b", "--host", "current"])).toEqual({
			kind: "run",
			host: "current",
			model: "openrouter/a/b",
			tui: true,
		});
	});
});

describe("a real model", () => {
	test("gets its key and the way to the network, and nothing else of the environment", () => {
		const environment = { OPENAI_API_KEY: "k", HOME: "/home", HTTPS_PROXY: "p", no_proxy: "n" };
		expect(modelEnvironment("openai/gpt-5-mini", environment)).toEqual({
			env: { OPENAI_API_KEY: "k", HTTPS_PROXY: "p", no_proxy: "n" },
		});
	});

	test("without a key is refused with the variable that is missing", () => {
		expect(modelEnvironment("openai/gpt-5-mini", { OPENAI_API_KEY: "" })).toEqual({
			problem:
				"The model openai/gpt-5-mini needs a key of openai; set OPENAI_API_KEY in the environment.",
		});
	});

	test("of an unknown provider is refused with those that are known", () => {
		expect(modelEnvironment("acme/a1", {})).toEqual({
			problem: expect.stringMatching(
				/^The provider "acme" is unknown to the demo; it knows anthropic, .*, zai\.$/,
			),
		});
	});
});
