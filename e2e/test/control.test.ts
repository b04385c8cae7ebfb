import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { HostLine, RpcTestHost } from "@pi-subagents/test-helpers";
import { expect, test } from "vitest";
import { type ChildWorld, delegate, onBothHosts, requestsOf, script } from "./child-host.js";
import {
	agentId,
	ask,
	askOne,
	bash,
	notificationsIn,
	read,
	requestOf,
	startedAgents,
	steer,
	stop,
	textOf,
	toolAnswers,
	wakeUp,
} from "./tool-answers.js";

const BACKGROUND = { run_in_background: true };
/** Lets the start of every child wait as long as there is a file `not-yet`. */
const SLOW_START = `
	import { existsSync } from "node:fs";
	export default (pi) => pi.on("session_start", async (_, { cwd }) => {
		while (existsSync(cwd + "/not-yet")) await new Promise((resolve) => setTimeout(resolve, 10));
	});
`;

onBothHosts("steering, stopping and resuming", control, {
	others: { "slow-start.ts": SLOW_START },
	agentFiles: {
		brief:
			"---\ndescription: Is brief\nmax_turns: 1\ngrace_turns: 1\nlocked: max_turns\n---\nBe brief.",
	},
});

function control(world: ChildWorld): void {
	test("a message to a running agent is read after its tool calls (STEER-01)", async () => {
		const host = await world.session();
		const wait = bash(waitForFile("steered"));
		const { text } = await askOne(
			host,
			delegate(
				`STEERED ${script({ tools: [wait] }, { text: "one" }, { text: "as you say" })}`,
				BACKGROUND,
			),
		);
		const id = agentId(text);
		await requestOf(world, "STEERED");
		const from = host.events.length;
		const [first, second] = await ask(host, steer(id, "MESSAGE-1"), steer(id, "MESSAGE-2"));
		expect([first?.isError, second?.isError]).toEqual([false, false]);
		await makeFile(host, "steered");
		expect(await wakeUp(host, from)).toContain("as you say");
		expect(messagesTo(world, "STEERED")).toEqual(["MESSAGE-1", "MESSAGE-2"]);
	});

	test("messages to an agent that is not ready or queued are read, in their order (STEER-01)", async () => {
		const host = await world.session({ maxConcurrent: 1 });
		await makeFile(host, "not-yet");
		world.server.script("early", [
			{ tools: [delegate("EARLY-A", BACKGROUND), delegate("EARLY-B", BACKGROUND)] },
			(request) => ({
				tools: startedAgents(request).flatMap((id) => [steer(id, "ONE"), steer(id, "TWO")]),
			}),
			{ text: "sent" },
		]);
		const from = host.events.length;
		const { events } = await host.prompt("@@#early#@@");
		const answers = toolAnswers(events).filter(({ tool }) => tool === "steer_subagent");
		expect(
			answers.map(({ text }) => /is (running|queued) and not ready yet/.exec(text)?.[1]),
		).toEqual(["running", "running", "queued", "queued"]);
		await removeFile(host, "not-yet");
		await wakeUp(host, from);
		for (const name of ["EARLY-A", "EARLY-B"]) {
			await expect.poll(() => messagesTo(world, name)).toEqual(["ONE", "TWO"]);
		}
	});

	test("a message that comes while an agent ends is read, or refused in words that name resume (STEER-02)", async () => {
		const host = await world.session();
		const names = Array.from({ length: 8 }, (_, index) => `RACE-${index}`);
		world.server.script("race", [
			{
				tools: names.map((name) =>
					delegate(`${name} ${script({ hold: "race", text: "racing" })}`, BACKGROUND),
				),
			},
			(request) => {
				world.server.release("race");
				return { tools: startedAgents(request).map((id) => steer(id, `FOR ${id}`)) };
			},
			(request) => ({ tools: startedAgents(request).map((id) => read(id, { wait: true })) }),
			{ text: "over" },
		]);
		const { events } = await host.prompt("@@#race#@@");
		const answers = toolAnswers(events);
		const ids = answers.slice(0, 8).map(({ text }) => agentId(text));
		const outcomes = ids.map((id, index) => {
			const answer = answers[8 + index];
			const seen = messagesTo(world, names[index] ?? "").filter((text) => text === `FOR ${id}`);
			if (answer?.isError) {
				expect(answer.text).toContain(`has already ended: completed. Give it a further task with`);
				expect(answer.text).toContain(`resume: "${id}"`);
				return seen.length === 0;
			}
			return seen.length === 1;
		});
		expect(outcomes).toEqual(names.map(() => true));
	});

	test("a message to an ended agent is an error that names resume, however it ended (STEER-03)", async () => {
		const host = await world.session();
		const [done, failed, held] = await ask(
			host,
			delegate("DONE"),
			delegate(`FAILED ${script({ error: { status: 400 } })}`),
			delegate(`HELD ${script({ hang: true, text: "so far" })}`, BACKGROUND),
		);
		await requestOf(world, "HELD");
		await askOne(host, stop(agentId(held?.text)));
		const ids = [done, failed, held].map((answer) => agentId(answer?.text));
		const answers = await ask(host, ...ids.map((id) => steer(id, "too late")));
		expect(answers.map(({ isError }) => isError)).toEqual([true, true, true]);
		const ends = ["completed", "the model provider failed", "stopped by the parent agent"];
		for (const [index, { text }] of answers.entries()) {
			expect(text).toContain(`${ids[index]} has already ended: ${ends[index]}`);
			expect(text).toContain(`Give it a further task with subagent and resume: "${ids[index]}".`);
		}
	});

	test("a message that was never read is told, goes to no other agent, and a resume delivers it once (STEER-04)", async () => {
		const host = await world.session({ maxConcurrent: 1 });
		world.server.script("unread", [
			{
				tools: [
					delegate(`HOLDS ${script({ hold: "unread" })}`, BACKGROUND),
					delegate("NEVER-A", BACKGROUND),
				],
			},
			(request) => ({ tools: [steer(startedAgents(request)[1] ?? "", "ONLY FOR A")] }),
			(request) => ({ tools: [stop(startedAgents(request)[1] ?? "")] }),
			{ text: "stopped" },
		]);
		const { events } = await host.prompt("@@#unread#@@");
		const stopped = toolAnswers(events).at(-1);
		const id = agentId(stopped?.text);
		expect(stopped?.text).toContain(
			`Not read before the end: "ONLY FOR A". Resuming ${id} delivers it.`,
		);
		const from = host.events.length;
		world.server.release("unread");
		await wakeUp(host, from);
		await askOne(host, delegate("NEVER-B"));
		const resumed = await askOne(host, delegate("NEVER-A after all", { resume: id }));
		expect(resumed.text).toContain("Note: It had never started, so it knows no other task");
		expect(messagesTo(world, "NEVER-B")).toEqual([]);
		const last = requestsOf(world.server, "NEVER-A").at(-1);
		expect(JSON.stringify(last?.messages).match(/ONLY FOR A/g)).toHaveLength(1);
		await askOne(host, delegate("NEVER-A once more", { resume: id }));
		const next = requestsOf(world.server, "NEVER-A").at(-1);
		expect(JSON.stringify(next?.messages).match(/ONLY FOR A/g)).toHaveLength(1);
	});

	test("a running agent that is stopped asks nothing more, and its text is kept as partial (STATUS-07)", async () => {
		const host = await world.session();
		const { text } = await askOne(
			host,
			delegate(
				`STOPPED ${script({ text: "so far", tools: [bash("true")] }, { hang: true })}`,
				BACKGROUND,
			),
		);
		const id = agentId(text);
		const request = await requestOf(world, "STOPPED", 1);
		const stopped = await askOne(host, stop(id));
		await request.ended;
		expect(request.aborted).toBe(true);
		expect(stopped.isError).toBe(false);
		expect(stopped.text).toMatch(
			/: stopped by the parent agent.*\n\nPartial text, not a finished report:\n\nso far$/,
		);
		const [again, list] = await ask(host, read(id), read());
		expect(again?.text).toBe(stopped.text);
		expect(list?.text).toContain(`- ${id}: general-purpose "a task": stopped by the parent agent`);
		const twice = await askOne(host, stop(id));
		expect(twice).toMatchObject({
			isError: true,
			text: `${id} has already ended: stopped by the parent agent.`,
		});
		expect(requestsOf(world.server, "STOPPED")).toHaveLength(2);
	});

	test("a running or queued agent cannot be resumed", async () => {
		const host = await world.session({ maxConcurrent: 1 });
		const [running, queued] = await ask(
			host,
			delegate(`RUNS ${script({ hold: "runs" })}`, BACKGROUND),
			delegate("WAITS", BACKGROUND),
		);
		const ids = [agentId(running?.text), agentId(queued?.text)];
		const answers = await ask(host, ...ids.map((id) => delegate("more", { resume: id })));
		const advice = "Send it a message with steer_subagent, or wait for its end.";
		expect(answers).toMatchObject([
			{ isError: true, text: `agent_id: ${ids[0]}\n${ids[0]} is running. ${advice}` },
			{ isError: true, text: `agent_id: ${ids[1]}\n${ids[1]} is queued. ${advice}` },
		]);
		const from = host.events.length;
		world.server.release("runs");
		await wakeUp(host, from);
	});

	test("a stopped agent goes on in the background, and its end is told", async () => {
		const host = await world.session();
		const { text } = await askOne(
			host,
			delegate(`AGAIN ${script({ text: "begun", hang: true })}`, BACKGROUND),
		);
		const id = agentId(text);
		await requestOf(world, "AGAIN");
		await askOne(host, stop(id));
		const from = host.events.length;
		const more = delegate(`go on ${script({ hold: "again", text: "finished" })}`, {
			resume: id,
			...BACKGROUND,
		});
		expect((await askOne(host, more)).text).toContain("has started in the background");
		world.server.release("again");
		const told = await wakeUp(host, from);
		expect(agentId(told)).toBe(id);
		expect(told).toMatch(/: completed .*\n\nfinished\n```$/);
	});

	test("a resume cannot change what the agent's file locks", async () => {
		const host = await world.session();
		const { text } = await askOne(host, delegate("LOCKED", { subagent_type: "brief" }));
		const again = await askOne(
			host,
			delegate("go on", { resume: agentId(text), subagent_type: "brief", max_turns: 9 }),
		);
		expect(again.isError).toBe(false);
		expect(again.text).toMatch(/\nNote: .*max_turns/);
	});

	test("the user can stop one of several foreground agents, and the others go on (ABORT-06)", async () => {
		const host = await world.session();
		const names = ["ONE", "TWO", "THREE"];
		const answered = ask(
			host,
			...names.map((name) =>
				delegate(`USER-${name} ${script({ hold: "user", text: `${name} is done` })}`, {
					description: name,
				}),
			),
		);
		const [, second] = await Promise.all(names.map((name) => requestOf(world, `USER-${name}`)));
		await chooseFromMenus(host, /TWO/, /^Stop/);
		await second?.ended;
		world.server.release("user");
		const [one, two, three] = await answered;
		expect(one?.text).toContain("ONE is done");
		expect(two?.text).toMatch(/"TWO": stopped by the user/);
		expect(three?.text).toContain("THREE is done");
	});

	test("the model can stop all agents, those in the queue first, and is told once how each ended (ABORT-02)", async () => {
		const host = await world.session({ maxConcurrent: 2 });
		const hang = { text: "so far", hang: true };
		const task = (name: string) => delegate(`ALL-${name} ${script(hang)}`, BACKGROUND);
		const started = await ask(host, task("A"), task("B"), task("C"));
		const running = await Promise.all([requestOf(world, "ALL-A"), requestOf(world, "ALL-B")]);
		const { isError, text } = await askOne(host, stop("all"));
		expect(isError).toBe(false);
		expect(text).toMatch(/^3 agents stopped; get_subagent_result has what each had\.\n/);
		for (const { text: start } of started) expect(text).toContain(`- ${agentId(start)}: `);
		expect(text).toContain("stopped by the parent agent before it started");
		await Promise.all(running.map(({ ended }) => ended));
		expect(requestsOf(world.server, "ALL-C")).toEqual([]);
		expect(await askOne(host, stop("all"))).toMatchObject({
			isError: true,
			text: "No agent is running or queued.",
		});
		await host.prompt("anything else?");
		expect(notificationsIn(world.server.requests.at(-1))).toEqual([]);
	});
}

function waitForFile(name: string): string {
	return `until [ -e ${name} ]; do sleep 0.02; done; rm ${name}`;
}

function makeFile(host: RpcTestHost, name: string): Promise<void> {
	return writeFile(join(host.directories.project, name), "");
}

function removeFile(host: RpcTestHost, name: string): Promise<void> {
	return rm(join(host.directories.project, name));
}

/** The user messages after the task that the agent got, as its last request has them. */
function messagesTo(world: ChildWorld, name: string): readonly string[] {
	const messages = requestsOf(world.server, name).at(-1)?.messages ?? [];
	return messages
		.filter(({ role }) => role === "user")
		.slice(1)
		.flatMap(({ content }) => textOf(content).split("\n\n"));
}

/** Opens `/agents`, chooses what matches in each of its menus, and goes back out of the last one. */
async function chooseFromMenus(host: RpcTestHost, ...choices: readonly RegExp[]): Promise<void> {
	let from = host.events.length;
	const done = host.send({ type: "prompt", message: "/agents" });
	const nextMenu = async (): Promise<HostLine> => {
		const menu = await host.waitFor(
			(event) => event.type === "extension_ui_request" && event.method === "select",
			from,
		);
		from = host.events.indexOf(menu) + 1;
		return menu;
	};
	for (const choice of choices) {
		const menu = await nextMenu();
		const options = Array.isArray(menu.options) ? menu.options.map(String) : [];
		const value = options.find((option) => choice.test(option));
		if (value === undefined) throw new Error(`None of ${options.join(", ")} matches ${choice}.`);
		host.respond(menu, { value });
	}
	host.respond(await nextMenu(), { cancelled: true });
	await done;
}
