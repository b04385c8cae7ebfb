import { readFile } from "node:fs/promises";
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
import { agentId, ask, askOne, bash, read, requestOf, stop } from "./tool-answers.js";

const OWN = ["subagent", "get_subagent_result", "steer_subagent", "stop_subagent"];
/** Refuses commands and tasks that are forbidden, and writes down every start and shutdown. */
const POLICY = `
	import { appendFileSync } from "node:fs";
	export default (pi) => {
		const note = (line) => (_, ctx) => appendFileSync(ctx.cwd + "/lives.log", line + "\\n");
		pi.on("session_start", note("start"));
		pi.on("session_shutdown", note("shutdown"));
		pi.on("tool_call", ({ toolName, input }) =>
			(toolName === "bash" || toolName === "subagent") && JSON.stringify(input).includes("forbidden")
				? { block: true, reason: "policy-X" }
				: undefined,
		);
	};
`;

onBothHosts("other extensions", otherExtensions, { others: { "policy.ts": POLICY } });

function otherExtensions(world: ChildWorld): void {
	test("what blocks a tool of the parent blocks it in an agent, too", async () => {
		const host = await world.session();
		world.server.script("gated", [{ tools: [bash("echo forbidden")] }, { text: "refused" }]);
		await askOne(host, delegate("GATED-2 @@#gated#@@"));
		expect(toolResults(requestsOf(world.server, "GATED-2").at(-1))[0]).toContain("policy-X");
	});

	test("a call that another extension blocks is an error with its reason, and there is no agent (STATUS-06)", async () => {
		const host = await world.session();
		const blocked = await askOne(host, delegate("forbidden task"));
		expect(blocked).toMatchObject({ isError: true, text: expect.stringContaining("policy-X") });
		expect(blocked.text).not.toMatch(/turn limit/);
		expect((await askOne(host, read())).text).toContain("There are no agents yet.");
	});

	test("every start of a child's extensions has its shutdown, however the child ends (LIFECYCLE-03)", async () => {
		const host = await world.session({ maxConcurrent: 3 });
		const before = await lives(host);
		const background = { run_in_background: true };
		const [, , stopped] = await ask(
			host,
			delegate("LIFE good"),
			delegate(`LIFE bad ${script({ error: { status: 400 } })}`),
			delegate(`LIFE-STOPPED ${script({ hang: true })}`, background),
			delegate("LIFE no worktree", { isolation: "worktree" }),
		);
		await requestOf(world, "LIFE-STOPPED");
		await askOne(host, stop(agentId(stopped?.text)));
		await expect
			.poll(() => lives(host))
			.toEqual({
				start: before.start + 3,
				shutdown: before.shutdown + 3,
			});
	});

	test("children take nothing of the parent over and have none of its tools (LIFECYCLE-05) (RECUR-01)", async () => {
		const host = await world.session();
		const answers = await ask(host, delegate("TWIN one"), delegate("TWIN two"));
		const list = await askOne(host, read());
		for (const { text } of answers) expect(list.text).toContain(`- ${agentId(text)}: `);
		for (const { tools } of requestsOf(world.server, "TWIN")) {
			expect(tools).toContain("read");
			for (const name of OWN) expect(tools).not.toContain(name);
		}
	});
}

async function lives(host: RpcTestHost): Promise<{ start: number; shutdown: number }> {
	const text = await readFile(join(host.directories.project, "lives.log"), "utf8");
	const count = (word: string): number => text.split("\n").filter((line) => line === word).length;
	return { start: count("start"), shutdown: count("shutdown") };
}
