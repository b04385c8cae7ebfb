import { expect, test } from "vitest";
import { type ChildWorld, delegate, onBothHosts, requestsOf, script } from "./child-host.js";
import { ask, askOne, wakeUp } from "./tool-answers.js";

onBothHosts("a provider that is asked too often, or silent,", rateLimits);

const SLOW_DOWN = { error: { status: 429, body: { error: { message: "slow down", type: "x" } } } };
const refused = (times: number): readonly object[] =>
	Array.from({ length: times }, () => SLOW_DOWN);

function rateLimits(world: ChildWorld): void {
	test("is asked again by all agents, although the host gave up, and all go on (CONC-03)", async () => {
		const host = await world.session({ rateLimitSeconds: 1.5 });
		const names = ["LIMITED-1", "LIMITED-2", "LIMITED-3", "LIMITED-4"];
		const calls = names.map((name) =>
			delegate(`${name} ${script(...refused(3), { text: `${name} is done` })}`),
		);
		const answers = await ask(host, ...calls);
		expect(answers.map(({ text }) => text.split("\n").at(-1))).toEqual(
			names.map((name) => `${name} is done`),
		);
		expect(answers.some(({ isError }) => isError)).toBe(false);
		for (const name of names) expect(requestsOf(world.server, name)).toHaveLength(4);
	});

	test("and never answers ends the agent within a bound, with its words and the partial text (CONC-03)", async () => {
		const host = await world.session({ rateLimitSeconds: 0.3 });
		const read = { text: "so far", tools: [{ name: "read", args: { path: "a.txt" } }] };
		const task = `ENDLESS ${script(read, ...refused(20))}`;
		const answer = await askOne(host, delegate(task));
		expect(answer.isError).toBe(true);
		expect(answer.text).toMatch(/: the model provider failed: .*slow down/);
		expect(answer.text).toMatch(/Partial text, not a finished report:\n\nso far$/);
		// The turn before it, then five prompts, each of which the host tries three times.
		expect(requestsOf(world.server, "ENDLESS")).toHaveLength(16);
	});

	test("is asked nothing more for an agent that is stopped while it waits (CONC-03, ABORT-10)", async () => {
		const host = await world.session({ rateLimitSeconds: 600 });
		const task = `WAITING ${script(...refused(20))}`;
		const running = host.prompt(script({ tools: [delegate(task)] }, { text: "end" }));
		await host.waitFor(
			(event) =>
				event.type === "tool_execution_update" &&
				requestsOf(world.server, "WAITING").length === 3 &&
				JSON.stringify(event.partialResult).includes("waiting for the model provider"),
		);
		await host.abort();
		await running;
		await host.prompt("anything else?");
		expect(requestsOf(world.server, "WAITING")).toHaveLength(3);
	});

	test("that says nothing is told once to the person and to the parent, and the agent goes on", async () => {
		const host = await world.session({ stallWarnSeconds: 0.5 });
		const from = host.events.length;
		const task = `SILENT ${script({ hold: "silent", text: "at last" })}`;
		await askOne(host, delegate(task, { run_in_background: true }));
		await host.waitFor((event) => JSON.stringify(event).includes("subagent-warning"), from);
		await host.waitFor(({ type }) => type === "agent_end", host.events.length);
		const later = host.events.length;
		world.server.release("silent");
		expect(await wakeUp(host, later)).toContain("at last");
		const notices = host.events
			.slice(from)
			.filter(({ method }) => method === "notify")
			.map(({ message }) => message);
		expect(notices).toEqual([
			expect.stringMatching(/^Nothing was heard of \S+ \(general-purpose "a task"\) for 0\.5s/),
		]);
		const told = world.server.requests.filter(({ messages }) =>
			JSON.stringify(messages.at(-1)).includes("Nothing was heard of"),
		);
		expect(told).toHaveLength(1);
	});
}
