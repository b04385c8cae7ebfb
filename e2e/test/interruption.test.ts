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
	isAlive,
	notificationsIn,
	processGone,
	read,
	requestOf,
	startedAgents,
	stop,
	toolAnswers,
	wakeUp,
} from "./tool-answers.js";

const BACKGROUND = { run_in_background: true };

onBothHosts("interruptions", interruptions);

function interruptions(world: ChildWorld): void {
	test("an abort while a foreground agent runs a tool ends both, and nothing more is asked (ABORT-01) (STATUS-07)", async () => {
		const host = await world.session();
		const task = `ABORTED ${script({ text: "so far", tools: [sleep("fg")] }, { text: "not asked" })}`;
		const running = host.prompt(script({ tools: [delegate(task)] }, { text: "not asked" }));
		const pid = await pidOf(host, "fg");
		await host.abort();
		const { events } = await running;
		await processGone(pid);
		const [answer] = toolAnswers(events);
		expect(answer?.text).toMatch(
			/: stopped when the turn was interrupted.*\n\nPartial text, not a finished report:\n\nso far$/,
		);
		expect(requestsOf(world.server, "ABORTED")).toHaveLength(1);
		const asked = world.server.requests.length;

		const [list, report] = await ask(host, read(), read(agentId(answer?.text)));
		expect(list?.text).toMatch(/: stopped when the turn was interrupted/);
		expect(report?.text).toBe(answer?.text);
		// The new prompt and the answer to its tools, and nothing of the agent.
		expect(world.server.requests.length).toBe(asked + 2);
	});

	test("an abort while a foreground agent's model answers closes that answer (ABORT-01)", async () => {
		const host = await world.session();
		const from = host.events.length;
		const task = `STREAMS ${script({ text: "half", hang: true })}`;
		const running = host.prompt(script({ tools: [delegate(task)] }, { text: "not asked" }));
		const request = await requestOf(world, "STREAMS");
		await host.waitFor(
			(event) =>
				event.type === "tool_execution_update" &&
				JSON.stringify(event.partialResult).includes("half"),
			from,
		);
		await host.abort();
		await request.ended;
		const { events } = await running;
		expect(request.aborted).toBe(true);
		expect(toolAnswers(events)[0]?.text).toMatch(
			/: stopped when the turn was interrupted.*\n\nPartial text.*\n\nhalf$/,
		);
	});

	test("background agents go on when the parent is aborted, and are told of (ABORT-02)", async () => {
		const host = await world.session();
		const background = delegate(
			`GOES-ON ${script({ hold: "goes-on", text: "still did it" })}`,
			BACKGROUND,
		);
		const foreground = delegate(`STOPS ${script({ hang: true })}`);
		const running = host.prompt(script({ tools: [background, foreground] }, { text: "not asked" }));
		const [alive, cut] = await Promise.all([
			requestOf(world, "GOES-ON"),
			requestOf(world, "STOPS"),
		]);
		const from = host.events.length;
		await host.abort();
		await running;
		await cut.ended;
		expect(alive.open).toBe(true);
		world.server.release("goes-on");
		expect(await wakeUp(host, from)).toContain("still did it");
	});

	test("a compaction that aborts the turn stops the agent that the turn waits for, which is not put down to the user; background agents go on (ABORT-08)", async () => {
		const host = await world.session();
		const background = delegate(
			`OUTLIVES ${script({ hold: "outlives", text: "did it in spite" })}`,
			BACKGROUND,
		);
		const foreground = delegate(`WAITED-FOR ${script({ text: "so far", hang: true })}`);
		// Not waited for: 0.73.1 does not tell of the end of a turn that it aborts for a compaction.
		const message = script({ tools: [background, foreground] }, { text: "not asked" });
		await host.send({ type: "prompt", message });
		const [alive, cut] = await Promise.all([
			requestOf(world, "OUTLIVES"),
			requestOf(world, "WAITED-FOR"),
		]);
		await host.send({ type: "compact" });
		await cut.ended;
		await atRest(host);
		expect(alive.open).toBe(true);
		const { text } = await askOne(host, read());
		expect(text).toContain(": stopped when the turn was interrupted");
		expect(text).not.toContain("by the user");
		const from = host.events.length;
		world.server.release("outlives");
		expect(await wakeUp(host, from)).toContain("did it in spite");
	});

	test("with the setting interruptBackground an abort stops background agents, too (ABORT-02)", async () => {
		const host = await world.session({ interruptBackground: true });
		const hang = (name: string) => `${name} ${script({ hang: true })}`;
		const calls = [delegate(hang("BOTH-BG"), BACKGROUND), delegate(hang("BOTH-FG"))];
		const running = host.prompt(script({ tools: calls }, { text: "not asked" }));
		const asked = await Promise.all([requestOf(world, "BOTH-BG"), requestOf(world, "BOTH-FG")]);
		await host.abort();
		await Promise.all(asked.map(({ ended }) => ended));
		await running;
		const { text } = await askOne(host, read());
		expect(text.match(/: stopped when the turn was interrupted/g)).toHaveLength(2);
	});

	test("an abort ends the waiting for a background agent and not the agent (ABORT-05)", async () => {
		const host = await world.session();
		world.server.script("waits", [
			{
				tools: [delegate(`AWAITED ${script({ hold: "awaited", text: "in the end" })}`, BACKGROUND)],
			},
			(request) => ({ tools: startedAgents(request).map((id) => read(id, { wait: true })) }),
			{ text: "not asked" },
		]);
		const before = host.events.length;
		const running = host.prompt("@@#waits#@@");
		await host.waitFor(
			({ type, toolName }) => type === "tool_execution_start" && toolName === "get_subagent_result",
			before,
		);
		const child = await requestOf(world, "AWAITED");
		await host.abort();
		const { events } = await running;
		const progress = toolAnswers(events).at(-1);
		expect(progress?.text).toMatch(/^agent_id: \S+\n.*: running/);
		expect(progress?.text).toMatch(/\nThe waiting was interrupted; \S+ goes on\.\n/);
		expect(child.open).toBe(true);
		const from = host.events.length;
		world.server.release("awaited");
		expect(await wakeUp(host, from)).toContain("in the end");
		await host.prompt("anything else?");
		expect(notificationsIn(world.server.requests.at(-1))).toHaveLength(1);
	});

	test("an abort leaves no call without a result, and the next prompt works (ABORT-07)", async () => {
		const host = await world.session();
		const calls = ["ONE", "TWO", "THREE"].map((name) =>
			delegate(`BATCH-${name} ${script({ hang: true })}`),
		);
		const running = host.prompt(script({ tools: calls }, { text: "not asked" }));
		await Promise.all(["ONE", "TWO", "THREE"].map((name) => requestOf(world, `BATCH-${name}`)));
		await host.abort();
		const { events } = await running;
		expect(toolAnswers(events)).toHaveLength(3);
		await expect(host.prompt(script({ text: "works" }))).resolves.toMatchObject({ text: "works" });
	});

	test("a stop ends the agent's tool and what that started (ABORT-04)", async () => {
		const host = await world.session();
		const nested = bash("(sleep 600 & echo $! > inner.pid; echo $$ > outer.pid; wait)");
		const { text } = await askOne(
			host,
			delegate(`NESTED ${script({ tools: [nested] }, { text: "not asked" })}`, BACKGROUND),
		);
		const pids = await Promise.all([pidOf(host, "inner"), pidOf(host, "outer")]);
		expect(pids.map(isAlive)).toEqual([true, true]);
		await askOne(host, stop(agentId(text)));
		await Promise.all(pids.map(processGone));
		expect(requestsOf(world.server, "NESTED")).toHaveLength(1);
	});

	test("a stopped agent asks nothing more, whatever the parent does later (ABORT-10)", async () => {
		const host = await world.session();
		const busy = { error: { status: 429, headers: { "retry-after": "1" } } };
		const { text } = await askOne(
			host,
			delegate(`RETRIES ${script(busy, busy, busy, busy)}`, BACKGROUND),
		);
		await requestOf(world, "RETRIES");
		await askOne(host, stop(agentId(text)));
		const asked = requestsOf(world.server, "RETRIES").length;
		await host.prompt("go on");
		await host.send({ type: "new_session" });
		await host.prompt("go on");
		expect(requestsOf(world.server, "RETRIES")).toHaveLength(asked);
	});

	test("the end of the host ends its agents and their tools; the next process knows them and can resume them (ABORT-03)", async () => {
		const host = await world.rpc();
		const bySignal = await startSleepers(host, "SIGNAL");
		const killed = await host.kill("SIGTERM");
		await Promise.all(bySignal.map(processGone));
		expect(killed.stderr).toBe("");
		const asked = requestsOf(world.server, "SIGNAL").length;

		await host.restart(["-c"]);
		const { text } = await askOne(host, read());
		for (const name of ["bg1", "bg2"]) {
			expect(text).toMatch(new RegExp(`"${name}": (stopped because the session|interrupted when)`));
		}
		expect(text).toMatch(/"fg": (stopped|interrupted)/);
		expect(requestsOf(world.server, "SIGNAL")).toHaveLength(asked);
		const id = /- (\S+): general-purpose "bg1"/.exec(text)?.[1] ?? "";
		const resumed = await askOne(host, delegate("once more", { resume: id }));
		expect(resumed).toMatchObject({ isError: false, text: expect.stringContaining("OK.") });
		const last = requestsOf(world.server, "SIGNAL bg1").at(-1);
		expect(last?.lastUserText).toBe("once more");
		expect(JSON.stringify(last?.messages)).toContain("begun bg1");

		const byInput = await startSleepers(host, "INPUT");
		const closed = await host.close();
		await Promise.all(byInput.map(processGone));
		expect(closed).toMatchObject({ code: 0, stderr: "" });
	});
}

/** Starts two agents in the background and one in the foreground whose tools take for ever; their process ids. */
async function startSleepers(host: RpcTestHost, task: string): Promise<readonly number[]> {
	const names = ["bg1", "bg2", "fg"];
	const tools = names.map((name) =>
		delegate(`${task} ${name} ${script({ text: `begun ${name}`, tools: [sleep(name)] })}`, {
			description: name,
			run_in_background: name !== "fg",
		}),
	);
	await host.send({ type: "prompt", message: script({ tools }) });
	return Promise.all(names.map((name) => pidOf(host, name)));
}

/** A command that tells its process id and then takes for ever. */
function sleep(name: string) {
	return bash(`echo $$ > ${name}.pid; exec sleep 600`);
}

/** The process id in a file of the project, when it is there. */
async function pidOf(host: RpcTestHost, name: string): Promise<number> {
	const file = join(host.directories.project, `${name}.pid`);
	let text = "";
	await expect
		.poll(
			async () => {
				text = await readFile(file, "utf8").catch(() => "");
				return text;
			},
			{ timeout: 30_000 },
		)
		.toMatch(/^\d+\n$/);
	await writeFile(file, "");
	return Number(text);
}
