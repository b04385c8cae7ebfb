import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RpcTestHost } from "@pi-subagents/test-helpers";
import { expect, test } from "vitest";
import {
	type ChildWorld,
	delegate,
	onBothHosts,
	requestsOf,
	script,
	toolResults,
} from "./child-host.js";
import { agentId, ask, askOne, read, steer, stop } from "./tool-answers.js";

/** Registers a tool some time after the start, as a server's tools come. */
const SERVER = `
	export default (pi) => {
		let timer;
		const tool = {
			name: "mcp__tracker__items", label: "Items", description: "Items", parameters: { type: "object", properties: {} },
			execute: async () => ({ content: [{ type: "text", text: "items" }], details: {} }),
		};
		pi.on("session_start", () => {
			clearTimeout(timer);
			timer = setTimeout(() => pi.registerTool(tool), 200);
		});
		pi.on("session_shutdown", () => clearTimeout(timer));
	};
`;

/** Says which tools are active, and switches one off. */
const SWITCH = `
	export default (pi) => pi.registerCommand("active", {
		handler: async (off, ctx) => {
			if (off) pi.setActiveTools(pi.getActiveTools().filter((name) => name !== off));
			ctx.ui.notify("active " + JSON.stringify(pi.getActiveTools()));
		},
	});
`;

onBothHosts("what an agent may do, and which version of it runs", agentRights, {
	others: { "switch.ts": SWITCH, "server.ts": SERVER },
});

function agentRights(world: ChildWorld): void {
	test("a read-only agent stays read-only, whatever else is switched on (PERM-11)", async () => {
		const host = await world.session();
		const on = [
			...["inherit_context: true", "run_in_background: true", "thinking: low", "hidden: true"],
			...["prompt_mode: replace", "max_turns: 5", "max_cost: 1", "extensions: '*'", "skills: '*'"],
		];
		for (const [index, line] of on.entries()) {
			await put(host, `reader-${index}`, `tools: read, grep\n${line}`);
		}
		await ask(
			host,
			...on.map((_, index) =>
				delegate(`READER-${index} x`, {
					subagent_type: `reader-${index}`,
					run_in_background: false,
				}),
			),
		);
		for (const index of on.keys()) {
			// The parent's request has the text, too, in the conversation that an agent inherits.
			const own = world.server.requests.find(
				({ messages, tools }) =>
					!tools.includes("subagent") &&
					JSON.stringify(messages.at(-1)).includes(`READER-${index} `),
			);
			expect([on[index], own?.tools]).toEqual([on[index], ["read", "grep"]]);
			await rm(join(host.directories.agentDir, "agents", `reader-${index}.md`));
		}
	});

	test("what is denied by a pattern is not offered and not run, also if it comes late (PERM-09)", async () => {
		const host = await world.session();
		await serverIsThere(host);
		await put(host, "denied", "disallowed_tools: mcp__tracker__*, bash");
		await put(host, "allowed", "tools: mcp__tracker__*");
		const calls = [
			{ name: "mcp__tracker__items", args: {} },
			{ name: "bash", args: { command: "touch denied.txt" } },
		];
		const prompt = (name: string): string =>
			`${name} ${script({ text: "wait", tools: [{ name: "read", args: { path: "." } }] }, { tools: calls }, { text: "end" })}`;
		await ask(
			host,
			...["denied", "allowed"].map((type) => delegate(prompt(type), { subagent_type: type })),
		);
		const results = (name: string) => toolResults(requestsOf(world.server, name).at(-1)).slice(1);
		for (const { tools } of requestsOf(world.server, "denied ")) {
			expect(tools).not.toContain("mcp__tracker__items");
			expect(tools).not.toContain("bash");
		}
		expect(results("denied ")).toEqual([
			"Tool mcp__tracker__items not found",
			"Tool bash not found",
		]);
		expect(requestsOf(world.server, "allowed ")[0]?.tools).toEqual(["mcp__tracker__items"]);
		expect(results("allowed ")).toEqual(["items", "Tool bash not found"]);
		expect(await tree(host)).not.toContain("project/denied.txt");
	});

	test("an agent that is disabled meanwhile is not resumed, and no agent of an agent starts it (PERM-08)", async () => {
		const host = await world.session();
		await put(host, "passing", "tools: read");
		await put(host, "lead", "tools: read\nsubagents: '*'");
		const id = agentId((await askOne(host, delegate("P x", { subagent_type: "passing" }))).text);
		await put(host, "passing", "tools: read\nenabled: false");
		const inner = delegate("INNER x", { subagent_type: "passing" });
		const [resumed, nested] = await ask(
			host,
			delegate("P y", { resume: id }),
			delegate(`LEAD ${script({ tools: [inner] }, { text: "end" })}`, { subagent_type: "lead" }),
		);
		const refusal = /The agent "passing" is disabled by .*passing\.md\./;
		expect(resumed).toMatchObject({ isError: true, text: expect.stringMatching(refusal) });
		expect(nested?.isError).toBe(false);
		const [lead] = requestsOf(world.server, "LEAD");
		expect(JSON.stringify(lead?.body.tools)).not.toContain("- passing");
		expect(toolResults(requestsOf(world.server, "LEAD").at(-1))[0]).toMatch(refusal);
		expect(requestsOf(world.server, "INNER")).toEqual([]);
	});

	test("no name, id or directory reaches a file outside of where agents are kept (PERM-14)", async () => {
		const host = await world.session();
		const before = await tree(host);
		const bad = ["../../x", "/etc/x", "a/b", "x\0y", "x".repeat(300), "CON", "x.", "__proto__"];
		const answers = await ask(
			host,
			...bad.flatMap((name) => [
				delegate("ESCAPE x", { subagent_type: name }),
				delegate("ESCAPE x", { resume: name }),
				delegate("ESCAPE x", { cwd: `${name}/nowhere` }),
				read(name),
				steer(name, "hello"),
				stop(name),
			]),
		);
		expect(answers.map(({ isError }) => isError)).toEqual(answers.map(() => true));
		expect(requestsOf(world.server, "ESCAPE")).toEqual([]);
		expect(await tree(host)).toEqual(before);
	});

	test("a queued agent starts as it was asked for: with the file and the parent's model of then (PARSE-15) (MODEL-06)", async () => {
		const host = await world.session({ maxConcurrent: 1 });
		await put(host, "waiting", "tools: read", "OLD-PROMPT");
		const background = { run_in_background: true };
		await ask(
			host,
			delegate(`FIRST ${script({ hold: "first", text: "x" })}`, background),
			delegate("SECOND x", { ...background, subagent_type: "waiting" }),
		);
		await put(host, "waiting", "tools: read, bash", "NEW-PROMPT");
		await host.send({ type: "set_model", provider: "mock", modelId: "m2" });
		const third = await askOne(host, delegate("THIRD x", { subagent_type: "waiting" }));
		expect(third.isError).toBe(false);
		const from = host.events.length;
		world.server.release("first");
		await host.waitFor(() => requestsOf(world.server, "SECOND").length > 0, from);
		const [second] = requestsOf(world.server, "SECOND");
		expect(second).toMatchObject({ model: "m1", tools: ["read"] });
		expect(second?.system).toContain("OLD-PROMPT");
		const [fresh] = requestsOf(world.server, "THIRD");
		expect(fresh).toMatchObject({ model: "m2", tools: ["read", "bash"] });
		expect(fresh?.system).toContain("NEW-PROMPT");
		await host.send({ type: "set_model", provider: "mock", modelId: "m1" });
	});

	test("a task that is too long for a model is not tried with the next one (MODEL-04)", async () => {
		const host = await world.session();
		await put(host, "choosy", "tools: read\nmodel: mock/small, mock/m2");
		const body = {
			error: {
				message: "This model's maximum context length is 20000 tokens.",
				code: "context_length_exceeded",
			},
		};
		const error = { status: 400, body };
		const answer = await askOne(
			host,
			delegate(`LONG ${script({ error }, { error }, { error })}`, { subagent_type: "choosy" }),
		);
		expect(answer.isError).toBe(true);
		const models = world.server.requests
			.filter(({ messages }) => JSON.stringify(messages).includes("LONG @@"))
			.map(({ model, tools }) => (tools.includes("subagent") ? "parent" : model));
		expect(new Set(models)).toEqual(new Set(["parent", "small"]));
	});

	test("new types leave the tools alone that were switched on and off (SCHEMA-07)", async () => {
		const host = await world.session();
		await serverIsThere(host);
		const before = await active(host);
		expect(await active(host, "bash")).toEqual(before.filter((name) => name !== "bash"));
		await put(host, "another", "tools: read");
		await host.prompt("hello");
		expect(JSON.stringify(world.server.requests.at(-1)?.body.tools)).toContain("- another: d");
		expect(await active(host)).toEqual(before.filter((name) => name !== "bash"));
		// Who switched the tool off does not get it back with the next type.
		await active(host, "subagent");
		await put(host, "one-more", "tools: read");
		await host.prompt("hello");
		expect(world.server.requests.at(-1)?.tools).not.toContain("subagent");
	});
}

async function put(host: RpcTestHost, name: string, header: string, body = ""): Promise<void> {
	const file = join(host.directories.agentDir, "agents", `${name}.md`);
	await writeFile(file, `---\nname: ${name}\ndescription: d\n${header}\n---\n${body}`);
}

/** Every file and folder that the host sees, without the sessions. */
async function tree(host: RpcTestHost): Promise<readonly string[]> {
	const names = await readdir(host.directories.root, { recursive: true });
	return names.filter((name) => !/sessions(?:\/|$)/.test(name)).sort();
}

/** Waits until the main session has the tool that comes late. */
async function serverIsThere(host: RpcTestHost): Promise<void> {
	while (!(await active(host)).includes("mcp__tracker__items"));
}

async function active(host: RpcTestHost, off = ""): Promise<readonly string[]> {
	const from = host.events.length;
	await host.send({ type: "prompt", message: `/active ${off}`.trim() });
	const said = await host.waitFor(({ message }) => String(message).startsWith("active "), from);
	return JSON.parse(String(said.message).slice("active ".length));
}
