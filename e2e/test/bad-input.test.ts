import type { ScriptedToolCall } from "@pi-subagents/test-helpers";
import { expect, test } from "vitest";
import { type ChildWorld, delegate, onBothHosts, requestsOf } from "./child-host.js";
import { agentId, ask, askOne, read, steer, stop, type ToolAnswer } from "./tool-answers.js";

onBothHosts("bad input", badInput);

function badInput(world: ChildWorld): void {
	test("a value that cannot be used gives one error that names it and what is possible, and starts nothing", async () => {
		const host = await world.session();
		const answers = await askAll(host, {
			type: delegate("BAD", { subagent_type: "Explor" }),
			noType: delegate("BAD", { subagent_type: "" }),
			prompt: delegate(""),
			blankPrompt: delegate(" \n "),
			turns: delegate("BAD", { max_turns: -1 }),
			model: delegate("BAD", { model: "nobody/nothing" }),
			thinking: delegate("BAD", { thinking: "extreme" }),
			isolation: delegate("BAD", { isolation: "container" }),
			cwd: delegate("BAD", { cwd: "nowhere" }),
			resume: delegate("BAD", { resume: "nobody" }),
			read: read("nobody"),
			steer: steer("nobody", "hello"),
			stop: stop("nobody"),
			noId: stop(""),
		});
		const nobody = 'There is no agent "nobody". There are no agents yet.';
		expect(texts(answers)).toEqual({
			type: expect.stringMatching(
				/Explor\b.*Explore\b.*general-purpose|Explor\b.*general-purpose.*Explore\b/s,
			),
			noType: expect.stringMatching(/general-purpose/),
			prompt: "The prompt is empty; say what the agent has to do.",
			blankPrompt: "The prompt is empty; say what the agent has to do.",
			turns: expect.stringMatching(/max_turns.*-1.*whole number/),
			model: expect.stringMatching(/nobody\/nothing/),
			thinking: expect.stringMatching(/thinking.*extreme.*off.*xhigh/),
			isolation: expect.stringMatching(/isolation.*container.*none.*worktree/),
			cwd: expect.stringMatching(/cwd.*nowhere.*does not exist/),
			resume: nobody,
			read: nobody,
			steer: nobody,
			stop: nobody,
			noId: 'There is no agent "". There are no agents yet.',
		});
		for (const answer of Object.values(answers)) expect(answer.isError).toBe(true);
		expect(requestsOf(world.server, "BAD")).toEqual([]);
		expect((await askOne(host, read())).text).toContain("There are no agents yet.");
	});

	test("a bad value for an agent that is there leaves it as it is", async () => {
		const host = await world.session();
		const id = agentId((await askOne(host, delegate("THERE"))).text);
		const answers = await askAll(host, {
			timeout: read(id, { wait: true, timeout_seconds: -5 }),
			offset: read(id, { offset: -1 }),
			message: steer(id, " "),
			prompt: delegate(" ", { resume: id }),
			turns: delegate("more", { resume: id, max_turns: -2 }),
		});
		expect(texts(answers)).toEqual({
			timeout: "timeout_seconds is -5; it must be a number of 0 or more.",
			offset: "offset is -1; it must be a number of 0 or more.",
			message: "The message is empty; say what the agent has to know.",
			prompt: "The prompt is empty; say what the agent has to do.",
			turns: expect.stringMatching(/max_turns.*-2.*whole number/),
		});
		for (const answer of Object.values(answers)) expect(answer.isError).toBe(true);
		expect((await askOne(host, read(id))).text).toMatch(/: completed .*\n\nOK\.$/);
		expect(requestsOf(world.server, "THERE")).toHaveLength(1);
	});

	test.each([
		["empty text", ""],
		["null", null],
		["zero", 0],
		["an empty list", []],
	])("%s in every optional field is as if it was left out (SCHEMA-02)", async (_, nothing) => {
		const host = await world.session();
		const fields = [
			"model",
			"thinking",
			"max_turns",
			"run_in_background",
			"resume",
			"inherit_context",
			"isolated",
			"isolation",
			"cwd",
		];
		const inert = Object.fromEntries(fields.map((field) => [field, nothing]));
		const { isError, text } = await askOne(host, delegate("INERT", inert));
		expect({ isError, text }).toEqual({
			isError: false,
			text: expect.stringMatching(/^agent_id: \S+\n.*: completed \(.*\)\.\n\nOK\.$/),
		});
		const options = { wait: nothing, timeout_seconds: nothing, verbose: nothing, offset: nothing };
		const again = await askOne(host, read(agentId(text), options));
		expect(again).toMatchObject({ isError: false, text: expect.stringMatching(/\n\nOK\.$/) });
		expect(
			(await askOne(host, { name: "get_subagent_result", args: { agent_id: nothing } })).text,
		).toContain("Types:");
	});

	test("what a mode says when it is off is no error (SCHEMA-02)", async () => {
		const host = await world.session();
		const { isError, text } = await askOne(
			host,
			delegate("OFF", {
				isolation: "none",
				thinking: "off",
				isolated: false,
				run_in_background: false,
			}),
		);
		expect({ isError, text }).toEqual({
			isError: false,
			text: expect.stringMatching(/: completed \(.*\)\.\n\nOK\.$/),
		});
	});

	test.each(["/help me", "/quit", "!ls", "!!ls", "@a.txt is what I mean", "/skill:none"])(
		"the prompt %s reaches the agent as it is",
		async (prompt) => {
			const host = await world.session();
			const { text } = await askOne(host, delegate(prompt));
			expect(requestsOf(world.server, prompt).map(({ lastUserText }) => lastUserText)).toEqual([
				prompt,
			]);
			expect(text).toContain("OK.");
		},
	);

	test("a message to an agent that looks like a command reaches it as it is", async () => {
		const host = await world.session();
		const { text } = await askOne(host, delegate("COMMANDS"));
		await askOne(host, delegate("/help again", { resume: agentId(text) }));
		expect(requestsOf(world.server, "COMMANDS").at(-1)?.lastUserText).toBe("/help again");
	});
}

/** The results of several calls of one message, by name. */
async function askAll<Name extends string>(
	host: Parameters<typeof ask>[0],
	calls: Readonly<Record<Name, ScriptedToolCall>>,
): Promise<Readonly<Record<string, ToolAnswer>>> {
	const answers = await ask(host, ...Object.values<ScriptedToolCall>(calls));
	return Object.fromEntries(
		Object.keys(calls).flatMap((name, index) => {
			const answer = answers[index];
			return answer ? [[name, answer]] : [];
		}),
	);
}

function texts(answers: Readonly<Record<string, ToolAnswer>>): Readonly<Record<string, string>> {
	return Object.fromEntries(Object.entries(answers).map(([name, { text }]) => [name, text]));
}
