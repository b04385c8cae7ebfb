import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RpcTestHost } from "@pi-subagents/test-helpers";
import { expect, test } from "vitest";
import { type ChildWorld, delegate, onBothHosts, requestsOf, script } from "./child-host.js";
import {
	agentId,
	ask,
	askOne,
	atRest,
	bash,
	notifications,
	notificationsIn,
	read,
	sessionFile,
	startedAgents,
	stop,
	toolAnswers,
	wakeUp,
} from "./tool-answers.js";

const BACKGROUND = { run_in_background: true };

onBothHosts("background agents", backgroundAgents);

function backgroundAgents(world: ChildWorld): void {
	test("a parent at rest is woken once with the report (NOTIFY-02) (RESULT-10)", async () => {
		const host = await world.session();
		const call = delegate(`BG ${script({ hold: "bg", text: "THE REPORT" })}`, BACKGROUND);
		const started = await askOne(host, call);
		expect(started.isError).toBe(false);
		expect(started.text).toMatch(
			/^agent_id: \S+\ngeneral-purpose "a task" has started in the background\.\nYou are told when it ends\./,
		);
		const from = host.events.length;
		world.server.release("bg");
		const told = await wakeUp(host, from);
		expect(told).toMatch(
			/^A background agent has ended\.\n\n```\nagent_id: \S+\ngeneral-purpose "a task": completed \(1 turn, .*\)\.\n\nTHE REPORT\n```$/,
		);
		expect(agentId(told)).toBe(agentId(started.text));

		await host.prompt("anything else?");
		expect(notificationsIn(world.server.requests.at(-1))).toEqual([told]);
	});

	test("after a run that the extension started, the client finds the host idle and can prompt it (NOTIFY-08)", async () => {
		const host = await world.session();
		await askOne(host, delegate(`PAIRS ${script({ hold: "pairs" })}`, BACKGROUND));
		const from = host.events.length;
		world.server.release("pairs");
		await wakeUp(host, from);
		const events = host.events.slice(from);
		const count = (type: string): number => events.filter((event) => event.type === type).length;
		expect([count("agent_start"), count("agent_end")]).toEqual([1, 1]);
		await expect(host.prompt(script({ text: "still here" }))).resolves.toMatchObject({
			text: "still here",
		});
	});

	test("several agents that end together wake the parent once", async () => {
		const host = await world.session();
		const names = ["one", "two", "three"];
		await ask(
			host,
			...names.map((name) =>
				delegate(`MANY ${script({ hold: "many", text: `report ${name}` })}`, BACKGROUND),
			),
		);
		const from = host.events.length;
		world.server.release("many");
		const told = await wakeUp(host, from);
		expect(told).toMatch(/^3 background agents have ended\./);
		for (const name of names) expect(told).toContain(`report ${name}`);
		await host.prompt("anything else?");
		expect(notificationsIn(world.server.requests.at(-1))).toEqual([told]);
	});

	test("agents that end one after the other make one turn more, also if the first end before the parent's turn does (NOTIFY-02)", async () => {
		const host = await world.session({ maxConcurrent: 3 });
		const from = host.events.length;
		await ask(host, ...Array.from({ length: 12 }, () => delegate("SWARM", BACKGROUND)));
		expect(await wakeUp(host, from)).toMatch(/^12 background agents have ended\./);
		const starts = host.events.slice(from).filter(({ type }) => type === "agent_start");
		expect(starts).toHaveLength(2);
	});

	test("an end while the parent is in a tool is told once, and not between a call and its result (NOTIFY-01) (NOTIFY-12)", async () => {
		const host = await world.session();
		const before = host.events.length;
		const wait = bash("until [ -e busy-over ]; do sleep 0.02; done; rm busy-over");
		const running = host.prompt(
			script(
				{ tools: [delegate(`BUSY ${script({ hold: "busy", text: "while busy" })}`, BACKGROUND)] },
				{ text: "now I work", tools: [wait] },
				{ text: "worked" },
			),
		);
		const child = await world.server.waitForRequest((request) =>
			requestsOf(world.server, "BUSY").includes(request),
		);
		await host.waitFor(
			({ type, toolName }) => type === "tool_execution_start" && toolName === "bash",
			before,
		);
		world.server.release("busy");
		await child.ended;
		await writeFile(join(host.directories.project, "busy-over"), "");
		await running;
		await wakeUp(host, before);
		await host.prompt("anything else?");
		const seen = notificationsIn(world.server.requests.at(-1));
		expect(seen).toHaveLength(1);
		expect(seen[0]).toContain("while busy");
		const stored = await storedMessages(host);
		expect(stored.slice(0, 5)).toEqual(["user", "call", "toolResult", "call", "toolResult"]);
		expect(stored.filter((role) => role === "notification")).toHaveLength(1);
	});

	test("a result that was waited for is not told again (NOTIFY-03)", async () => {
		const host = await world.session();
		world.server.script("pull", [
			{
				tools: Array.from({ length: 5 }, () =>
					delegate(`PULLED ${script({ text: "seen once" })}`, BACKGROUND),
				),
			},
			(request) => ({ tools: startedAgents(request).map((id) => read(id, { wait: true })) }),
			{ text: "read it" },
		]);
		const { events } = await host.prompt("@@#pull#@@");
		await atRest(host);
		await host.prompt("anything else?");
		const last = world.server.requests.at(-1);
		// Read by hand or told, but each of the five once.
		const told = [...toolAnswers(events).map(({ text }) => text), ...notificationsIn(last)];
		expect(told.join("\n").match(/seen once/g)).toHaveLength(5);
		expect(notifications(events)).toEqual([]);
	});

	test("a failure is told with the provider's message and the partial text (RESULT-01) (RESULT-11)", async () => {
		const host = await world.session();
		const failing = script(
			{ text: "looking now", tools: [bash("true")] },
			{ hold: "fails", error: { status: 400, body: { error: { message: "no such thing" } } } },
		);
		await askOne(host, delegate(`BG-FAILS ${failing}`, BACKGROUND));
		const from = host.events.length;
		world.server.release("fails");
		const told = await wakeUp(host, from);
		expect(told).toMatch(/: the model provider failed: .*no such thing/);
		expect(told).toMatch(/Partial text, not a finished report:\n\nlooking now\n```$/);
	});

	test("a result can be read after another session was open (RESULT-12)", async () => {
		const host = await world.session();
		const from = host.events.length;
		const { text } = await askOne(
			host,
			delegate(`KEPT ${script({ text: "still there" })}`, BACKGROUND),
		);
		const id = agentId(text);
		await wakeUp(host, from);
		const file = await sessionFile(host);
		await host.send({ type: "new_session" });
		expect((await askOne(host, read(id))).isError).toBe(true);
		await host.send({ type: "switch_session", sessionPath: file });
		const again = await askOne(host, read(id));
		expect(again).toMatchObject({ isError: false });
		expect(again.text).toMatch(/: completed .*\n\nstill there$/);
	});

	test("a queued agent that is stopped never starts, and who waits for it is told (STATUS-04)", async () => {
		const host = await world.session({ maxConcurrent: 1 });
		world.server.script("queue", [
			{
				tools: [
					delegate(`FIRST ${script({ hold: "first", text: "first is done" })}`, BACKGROUND),
					delegate("SECOND never asked", BACKGROUND),
				],
			},
			(request) => {
				const [, second = ""] = startedAgents(request);
				return { tools: [read(second, { wait: true }), stop(second)] };
			},
			{ text: "stopped" },
		]);
		const { events } = await host.prompt("@@#queue#@@");
		const [, queued, waited, stopped] = toolAnswers(events);
		expect(queued?.text).toContain("is queued in the background");
		for (const answer of [waited, stopped]) {
			expect(answer?.text).toMatch(/: stopped by the parent agent before it started/);
			expect(answer?.text).toContain("It never started, so there is no report.");
		}
		const from = host.events.length;
		world.server.release("first");
		expect(await wakeUp(host, from)).toContain("first is done");
		expect(requestsOf(world.server, "SECOND")).toEqual([]);
		expect((await askOne(host, delegate("THIRD", BACKGROUND))).text).toContain("has started");
	});

	test("no way to end keeps a slot (CONC-01) (CONC-08)", async () => {
		const host = await world.session({ maxConcurrent: 2 });
		const bad = script({ error: { status: 400 } });
		world.server.script("slots", [
			...[1, 2, 3].map(() => ({
				tools: [
					delegate("SLOT good", BACKGROUND),
					delegate(`SLOT bad ${bad}`, BACKGROUND),
					delegate("SLOT no-worktree", { ...BACKGROUND, isolation: "worktree" }),
					delegate("SLOT no-worktree", { ...BACKGROUND, isolation: "worktree" }),
				],
			})),
			(request) => ({ tools: startedAgents(request).map((id) => read(id, { wait: true })) }),
			{ tools: [delegate("SLOT last", BACKGROUND)] },
			(request) => ({ tools: [read(startedAgents(request).at(-1), { wait: true })] }),
			{ text: "end" },
		]);
		const { events } = await host.prompt("@@#slots#@@");
		const ends = toolAnswers(events)
			.filter(({ tool }) => tool === "get_subagent_result")
			.map(
				({ text }) =>
					/: (completed|the model provider failed|could not be started)/.exec(text)?.[1],
			);
		const round = [
			"completed",
			"the model provider failed",
			"could not be started",
			"could not be started",
		];
		expect(ends).toEqual([...round, ...round, ...round, "completed"]);
	});
}

/** The messages of a stored session: `call` for one with tool calls, else its role. */
async function storedMessages(host: RpcTestHost): Promise<readonly string[]> {
	const text = await readFile(await sessionFile(host), "utf8");
	return text
		.trim()
		.split("\n")
		.map((line) => JSON.parse(line))
		.filter(({ type }) => type === "message" || type === "custom_message")
		.map(({ type, message }) => {
			if (type === "custom_message") return "notification";
			return message.content?.some?.((part: { type: string }) => part.type === "toolCall")
				? "call"
				: message.role;
		})
		.filter((role) => role !== "system");
}
