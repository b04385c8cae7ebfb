import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import {
	type ChildWorld,
	delegate,
	onBothHosts,
	requestsOf,
	script,
	toolResults,
} from "./child-host.js";
import { agentId, ask, askOne, read, requestOf, sessionFile } from "./tool-answers.js";

const CANARY = "---\ndescription: d\nsubagents: '*'\n---\nCANARY-31";
const SMALL = "---\ndescription: d\nmodel: mock/small\n---\nWork.";
const LONG = `---\ndescription: ${"long ".repeat(600)}\n---\nWork.`;
const hanging = script({ text: "…", hang: true });
const background = { run_in_background: true };
/** It takes a while to shut down, and its file is whole then. */
const SLOW_END = `
	import { appendFileSync } from "node:fs";
	export default (pi) => pi.on("session_shutdown", async (_, ctx) => {
		appendFileSync(ctx.cwd + "/ends.log", "begun ");
		await new Promise((resolve) => setTimeout(resolve, 300));
		appendFileSync(ctx.cwd + "/ends.log", "whole\\n");
	});`;
const OTHER_SUBAGENT = `
	export default (pi) => pi.registerTool({
		name: "subagent", label: "Other", description: "OTHER-SUBAGENT",
		parameters: { type: "object", properties: {} },
		execute: async () => ({ content: [{ type: "text", text: "other" }], details: {} }),
	});`;

onBothHosts("the life of children", lifeOfChildren, {
	agentFiles: { canary: CANARY, small: SMALL },
	others: { "slow-end.ts": SLOW_END },
});

function lifeOfChildren(world: ChildWorld): void {
	test("the body of an agent file is in every request of its agents, once, however they are started (CONTEXT-09)", async () => {
		const host = await world.session();
		const canary = { subagent_type: "canary" };
		world.server.script("nests", [{ tools: [delegate("BODY-NESTED", canary)] }, { text: "done" }]);
		const front = await askOne(host, delegate("BODY-FRONT @@#nests#@@", canary));
		await askOne(host, delegate("further", { ...canary, resume: agentId(front.text) }));
		await askOne(host, delegate("BODY-BACK", { ...canary, ...background }));
		await requestOf(world, "BODY-BACK");
		const requests = requestsOf(world.server, "BODY-");
		expect(requests.length).toBeGreaterThanOrEqual(5);
		for (const { system } of requests) expect(system.split("CANARY-31")).toHaveLength(2);
	});

	test("after a compaction the main session still knows its running agents (CONTEXT-03)", async () => {
		const host = await world.session();
		const names = ["RUN-1", "RUN-2", "RUN-3"];
		const started = await ask(
			host,
			...names.map((name) => delegate(`${name} ${hanging}`, background)),
		);
		await Promise.all(names.map((name) => requestOf(world, name)));
		await host.send({ type: "compact" });
		const list = await askOne(host, read());
		for (const { text } of started) expect(list.text).toContain(`- ${agentId(text)}: `);
		expect(list.text.match(/running/g)).toHaveLength(3);
		expect((await host.send({ type: "new_session" })).success).toBe(true);
	});

	test("an agent compacts by the window of its own model, and ends with its last text (CONTEXT-04)", async () => {
		const host = await world.session();
		const look = { name: "bash", args: { command: "echo looked" } };
		const task = script(
			{ tools: [look], usage: { p: 3000, c: 10 } },
			{ tools: [look], usage: { p: 19_000, c: 10 } },
			{ text: "the end", usage: { p: 100, c: 10 } },
		);
		const { text } = await askOne(host, delegate(`NARROW ${task}`, { subagent_type: "small" }));
		expect(text).toContain("the end");
		expect(text).toContain("completed");
	});

	test("a session that is replaced ends its agents, and nothing of them is heard after it (LIFECYCLE-01) (LIFECYCLE-08)", async () => {
		const host = await world.session();
		const started = await askOne(host, delegate(`GONE-1 ${hanging}`, background));
		const first = await requestOf(world, "GONE-1");
		const file = await sessionFile(host);
		expect((await host.send({ type: "new_session" })).success).toBe(true);
		await first.ended;
		expect((await askOne(host, read())).text).toContain("There are no agents yet.");
		await askOne(host, delegate(`GONE-2 ${hanging}`, background));
		const second = await requestOf(world, "GONE-2");
		expect((await host.send({ type: "switch_session", sessionPath: file })).success).toBe(true);
		await second.ended;
		const list = await askOne(host, read());
		expect(list.text).toContain(agentId(started.text));
		expect(list.text).toContain("stopped");
	});

	test("a result comes after the child's extensions have shut down (LIFECYCLE-09)", async () => {
		const host = await world.session();
		const log = join(host.directories.project, "ends.log");
		const before = await stat(log).catch(() => ({ size: 0 }));
		await askOne(host, delegate("ENDS"));
		expect((await stat(log)).size - before.size).toBe("begun whole\n".length);
	});

	test("conversations of agents are kept in the host's store, as the host keeps its own (PERM-17)", async () => {
		const host = await world.session();
		await askOne(host, delegate("KEPT"));
		const file = await sessionFile(host);
		const folder = join(file.replace(/\.jsonl$/, ""), "tasks");
		const [kept] = await readdir(folder);
		const mode = async (path: string) => (await stat(path)).mode & 0o777;
		expect(await mode(join(folder, String(kept)))).toBe(await mode(file));
	});
}

onBothHosts("this extension beside others", (world) => {
	test("an extension that is in the settings and on the command line is there once (RECUR-02)", async () => {
		const settings = { extensions: [inject("extension")] };
		const nests = "---\ndescription: d\nsubagents: '*'\n---\nLead.";
		const host = await world.print({ settings, agentFiles: { nests } });
		const both = [delegate("TWICE-0"), delegate("TWICE-1", { subagent_type: "nests" })];
		const { code, stderr } = await host.run(`t ${script({ tools: both }, { text: "end" })}`);
		expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
		const own = (task: string) =>
			requestsOf(world.server, task)[0]?.tools.filter((tool) => tool === "subagent");
		expect(own("t ")).toHaveLength(1);
		expect(own("TWICE-0")).toHaveLength(0);
		expect(own("TWICE-1")).toHaveLength(1);
	});

	test("of two extensions that have a tool of one name, pi names both (RECUR-03)", async () => {
		const host = await world.print({ others: { "other.ts": OTHER_SUBAGENT } });
		const { stderr } = await host.run("clash");
		expect(stderr).toMatch(/other\.ts": Tool "subagent" conflicts with .*pi-extension/);
	});

	test("150 agent files with long descriptions cost a bounded number of tokens, and each can be started (CONTEXT-07)", async () => {
		const agentFiles = Object.fromEntries(
			Array.from({ length: 150 }, (_, index) => [`agent-${index}`, LONG]),
		);
		const host = await world.print({ agentFiles });
		const last = delegate("FOUND", { subagent_type: "agent-149" });
		await host.run(`many ${script({ tools: [last] }, { text: "end" })}`);
		const [request, after] = requestsOf(world.server, "many ");
		const size = (each: typeof request) => JSON.stringify(each?.body.tools).length / 4;
		expect(size(request)).toBeLessThan(10_000);
		expect(after?.body.tools).toEqual(request?.body.tools);
		expect(toolResults(after)[0]).toContain("agent_id: ");
	});
});
