import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import {
	type ChildWorld,
	delegate,
	onBothHosts,
	requestsOf,
	script,
	toolResults,
} from "./child-host.js";
import {
	agentId,
	bash,
	notifications,
	notificationsIn,
	processGone,
	read,
	startedAgents,
	toolAnswers,
} from "./tool-answers.js";

const BACKGROUND = { run_in_background: true };
/** Has a timer from the start of each session to its shutdown; neither host would exit with one that goes on. */
const INTERVAL = `
	export default (pi) => {
		let timer;
		pi.on("session_start", () => {
			timer = setInterval(() => {}, 1000);
		});
		pi.on("session_shutdown", () => clearInterval(timer));
	};
`;

onBothHosts("print and JSON mode", headless);

function headless(world: ChildWorld): void {
	test("print mode prints the answer, nothing else, and ends although extensions have timers, in the agent, too (HEADLESS-01)", async () => {
		const host = await world.print({ others: { "interval.ts": INTERVAL } });
		const { code, stderr, stdout } = await host.run(
			`p ${script({ tools: [delegate("PRINT-FG")] }, { text: "the answer" })}`,
		);
		expect({ code, stderr, stdout }).toEqual({ code: 0, stderr: "", stdout: "the answer\n" });
		expect(toolResults(requestsOf(world.server, "p ").at(-1))[0]).toMatch(
			/: completed .*\n\nOK\.$/,
		);
	});

	test("a second process goes on with an agent of the first; the agent's file lies below the parent's and names it", async () => {
		const host = await world.print();
		await host.run(
			`first ${script({ tools: [delegate(`TWICE ${script({ text: "begun" })}`)] }, { text: "x" })}`,
		);
		const id = agentId(toolResults(requestsOf(world.server, "first ").at(-1))[0]);
		const { code, stdout } = await host.run(
			`second ${script({ tools: [delegate("and on", { resume: id })] }, { text: "went on" })}`,
			["-c"],
		);
		expect({ code, stdout }).toEqual({ code: 0, stdout: "went on\n" });
		const last = requestsOf(world.server, "TWICE").at(-1);
		expect(last?.lastUserText).toBe("and on");
		expect(JSON.stringify(last?.messages)).toContain("begun");

		const sessions = join(host.directories.agentDir, "sessions");
		const files = (await readdir(sessions, { recursive: true })).filter((name) =>
			name.endsWith(".jsonl"),
		);
		const child = files.find((name) => name.includes("/tasks/")) ?? "";
		const parent = `${dirname(dirname(child))}.jsonl`;
		expect(files.sort()).toEqual([child, parent].sort());
		const modes = await Promise.all(
			files.map(async (name) => (await stat(join(sessions, name))).mode),
		);
		expect(new Set(modes).size).toBe(1);
		const [header = ""] = (await readFile(join(sessions, child), "utf8")).split("\n");
		expect(JSON.parse(header)).toMatchObject({
			type: "session",
			cwd: host.directories.project,
			parentSession: join(sessions, parent),
		});
	});

	test("background agents are waited for and told once, and asking again ends (HEADLESS-02) (HEADLESS-03)", async () => {
		const host = await world.json();
		const asking = (request: Parameters<typeof startedAgents>[0]) => ({
			tools: startedAgents(request).map((id) => read(id, { wait: true })),
		});
		world.server.script("headless", [
			{
				tools: [
					delegate(
						`JSON-GOOD ${script({ tools: [bash("true")] }, { text: "good one" })}`,
						BACKGROUND,
					),
					delegate(`JSON-BAD ${script({ error: { status: 400 } })}`, BACKGROUND),
				],
			},
			{ text: "I wait" },
			asking,
			asking,
			{ tools: [read()] },
			{ text: "all known" },
		]);
		const { code, events, stderr, stdout } = await host.run("go @@#headless#@@");
		expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
		expect(events).toHaveLength(stdout.trim().split("\n").length);
		const told = notifications(events);
		expect(told).toHaveLength(1);
		expect(told[0]).toContain("good one");
		expect(told[0]).toContain("the model provider failed");
		const last = requestsOf(world.server, "go @@#headless").at(-1);
		expect(notificationsIn(last)).toEqual(told);
		const asked = toolAnswers(events).filter(({ tool }) => tool === "get_subagent_result");
		expect(asked).toHaveLength(5);
		expect(
			asked.map(({ text }) => /: (completed|the model provider failed)/.exec(text)?.[1]),
		).toEqual([
			"completed",
			"the model provider failed",
			"completed",
			"the model provider failed",
			"completed",
		]);
	});

	test("an agent that never ends does not keep a process that was told to end (HEADLESS-02)", async () => {
		const host = await world.print();
		// The tool of an agent is a child of the host's own process.
		const endless = bash("echo $$ > endless.pid; kill -TERM $PPID; exec sleep 600");
		const task = delegate(`ENDLESS ${script({ tools: [endless] })}`, BACKGROUND);
		const { stdout } = await host.run(`end ${script({ tools: [task] }, { text: "waiting" })}`);
		expect(stdout).not.toContain("ENDLESS");
		const pid = Number(await readFile(join(host.directories.project, "endless.pid"), "utf8"));
		await processGone(pid);
		// The current host ends the tool first, and the agent may still ask; nothing of that stays.
		await Promise.all(requestsOf(world.server, "ENDLESS").map(({ ended }) => ended));
	});

	test("an agent has the tools that its parent was narrowed to, and Explore never writes", async () => {
		const host = await world.print();
		const { code, stdout } = await host.run(
			`narrow ${script(
				{
					tools: [delegate("NARROW-GP"), delegate("NARROW-EXPLORE", { subagent_type: "Explore" })],
				},
				{ text: "looked" },
			)}`,
			["--tools", "read,subagent"],
		);
		expect({ code, stdout }).toEqual({ code: 0, stdout: "looked\n" });
		expect(requestsOf(world.server, "NARROW-GP")[0]?.tools).toEqual(["read"]);
		const explore = requestsOf(world.server, "NARROW-EXPLORE")[0]?.tools ?? [];
		expect(explore).toContain("read");
		for (const name of ["bash", "write", "edit", "subagent"]) expect(explore).not.toContain(name);
	});
}
