import { expect, test } from "vitest";
import { delegate, onBothHosts, requestsOf, script, toolResults } from "./child-host.js";

/** Of one request with the server's usual usage: 100 tokens in, 10 out, at the prices of the mock models. */
const DOLLARS = (100 * 1 + 10 * 2) / 1e6;

onBothHosts("what children cost", (world, name) => {
	test("every level is told, and the current host's own totals have each token once (ACCOUNT-01) (ACCOUNT-03)", async () => {
		const lead = "---\ndescription: Leads\nsubagents: '*'\n---\nLead.";
		const host = await world.rpc({ agentFiles: { lead } });
		world.server.script("lead", [{ tools: [delegate("COST-IN")] }, { text: "led" }]);
		const first = delegate("COST-OUT @@#lead#@@", { subagent_type: "lead" });
		const behind = delegate("COST-BEHIND", { run_in_background: true });
		await host.prompt(`c ${script({ tools: [first, behind] }, { text: "wait" })}`);
		// Told at the next rest, in a run of its own.
		await world.server.waitForRequest(({ messages }) =>
			JSON.stringify(messages.at(-1)).includes("background agent has ended"),
		);
		await host.prompt(
			`d ${script({ tools: [{ name: "get_subagent_result", args: {} }] }, { text: "end" })}`,
		);
		const led = toolResults(requestsOf(world.server, "c ").at(-1))[0];
		// Two turns of its own, one below.
		expect(led).toContain("220 tokens");
		expect(led).toContain("With the 1 agent below it, it used 330 tokens");
		const listed = toolResults(requestsOf(world.server, "c ").at(-1)).at(-1);
		expect(listed).toContain("All agents together: 440 tokens");

		const { data } = await host.send({ type: "get_session_stats" });
		const requests =
			name === "current" ? world.server.requests.length : requestsOf(world.server, "c ").length;
		expect((data as { cost: number }).cost).toBeCloseTo(requests * DOLLARS, 9);
		await host.dispose();
	});

	test("a narrowed parent has narrowed children (PERM-03) (MODEL-08)", async () => {
		const host = await world.print({ args: ["--tools", "read,grep,subagent"] });
		await host.run(`t ${script({ tools: [delegate("NARROW")] }, { text: "end" })}`);
		expect([...(requestsOf(world.server, "NARROW")[0]?.tools ?? [])].sort()).toEqual([
			"grep",
			"read",
		]);
	});
});
