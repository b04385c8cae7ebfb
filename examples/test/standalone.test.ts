import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type ModelServer, startModelServer } from "@pi-subagents/test-helpers";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

const built = resolve(import.meta.dirname, "..", "dist");
const folder = realpathSync(mkdtempSync(join(tmpdir(), "pi-subagents-standalone-")));
let server: ModelServer;

beforeAll(async () => {
	server = await startModelServer({ strict: true });
});
beforeEach(() => server.reset());
afterAll(async () => {
	await server.close();
	rmSync(folder, { recursive: true, force: true });
});

/** What the program printed; rejects unless it ends by itself with code 0. */
function run(program: string, args: readonly string[], cwd = folder, more = {}): Promise<string> {
	const env = { PATH: process.env.PATH, HOME: folder, MODEL_URL: server.url, ...more };
	return new Promise((done, fail) => {
		execFile(process.execPath, [join(built, program), ...args], { cwd, env }, (error, out, err) =>
			error ? fail(new Error(`${error.message}\n${out}${err}`)) : done(out + err),
		);
	});
}

describe("programs without pi's extension", { timeout: 60_000 }, () => {
	test("fan-out gives each task to an agent, three at a time", async () => {
		const answers = ["2", "red", "Rhine", "oak"];
		const tasks = answers.map((text) => `Name one. ${script({ text, hold: "all three ask" })}`);
		const running = run("fan-out.js", tasks);
		await server.waitForRequest(() => server.requests.length >= 3);
		server.release("all three ask");
		const printed = await running;
		const lines = answers.map((answer) => expect.stringMatching(`^completed: .*: ${answer}$`));
		expect(printed.trim().split("\n").slice(0, 4)).toEqual(lines);
		expect(server.peakConcurrency).toBe(3);
	});

	test("fan-out stops all agents when together they have cost more than the budget", async () => {
		server.script("dear", [{ text: "dear", usage: { p: 1_000_000, c: 0 } }]);
		server.script("slow", [{ hang: true }]);
		const tasks = ["one @@#slow#@@", "two @@#slow#@@", "three @@#dear#@@", "four"];
		const printed = await run("fan-out.js", tasks, folder, { BUDGET: "0.01" });
		expect(printed.split("\n")).toEqual([
			"stopped: one @@#slow#@@: nothing",
			"stopped: two @@#slow#@@: nothing",
			expect.stringMatching(/^(stopped|completed): three @@#dear#@@: dear$/),
			"stopped: four: nothing",
			expect.stringMatching(/^\$0\.15\d\d of \$0\.01 spent$/),
			"",
		]);
	});

	test("background-queue shows what happens to each agent, and the results", async () => {
		const poem = script({ text: "Old pond, a frog jumps" });
		const printed = await run("background-queue.js", [`A ${poem}`, `B ${poem}`, `C ${poem}`]);
		expect(printed).toMatch(/^queued C/m);
		expect(printed).toMatch(/^running A .* Old pond, a frog jumps$/m);
		expect(printed).toMatch(/^completed C .* 110 tokens completed$/m);
		expect(printed.match(/\nOld pond, a frog jumps\n/g)).toHaveLength(3);
	});

	test("review-loop lets a worker in a worktree go on until its reviewer is content", async () => {
		const repo = join(folder, "project");
		mkdirSync(repo);
		const git = (...args: string[]) => execFileSync("git", args, { cwd: repo, encoding: "utf8" });
		git("init", "-q");
		const me = ["-c", "user.name=Me", "-c", "user.email=me@example.com"];
		git(...me, "commit", "-q", "--allow-empty", "-m", "First");
		// The task is in the prompts of worker and reviewer, so both have the same script.
		const verdicts = ["Say more.", "APPROVED"];
		const isReview = (text: string | undefined) => text?.startsWith("Look at `git diff") === true;
		server.script("work", [
			({ lastUserText }) =>
				isReview(lastUserText)
					? { text: verdicts.shift() ?? "" }
					: { tools: [{ name: "write", args: { path: "README.md", content: "short" } }] },
			{ text: "Written." },
		]);
		const printed = await run("review-loop.js", ["Write a README. @@#work#@@"], repo);
		expect(printed).toContain("worker (completed): Written.");
		expect(printed).toContain("reviewer (completed): Say more.");
		expect(printed).toContain("reviewer (completed): APPROVED");
		expect(
			server.requests.some(({ lastUserText }) => lastUserText === "A reviewer says:\nSay more."),
		).toBe(true);
		const branch = git("branch", "--list", "pi-subagents/*", "--format=%(refname:short)").trim();
		expect(git("show", `${branch}:README.md`)).toBe("short");
		expect(git("status", "--porcelain")).toBe("");
	});
});

function script(...steps: readonly object[]): string {
	return `@@${JSON.stringify(steps)}@@`;
}
