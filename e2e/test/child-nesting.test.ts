import { expect, test } from "vitest";
import {
	type ChildWorld,
	delegate,
	onBothHosts,
	requestsOf,
	script,
	toolResults,
} from "./child-host.js";

const LEAD = "---\ndescription: Delegates\nsubagents: worker, lead\n---\nYou lead.";
const WORKER = "---\ndescription: Works\ntools: read\n---\nYou work.";
const OWN = ["subagent", "get_subagent_result", "steer_subagent", "stop_subagent"];

onBothHosts("nested agents", nestedAgents, { agentFiles: { lead: LEAD, worker: WORKER } });

function nestedAgents(world: ChildWorld): void {
	test("an agent whose definition lists types gets the tools, no other does", async () => {
		const host = await world.session();
		const inner = delegate("NEST-A-WORKER", { subagent_type: "worker" });
		const refused = delegate("NEST-A-PLAN", { subagent_type: "Plan" });
		world.server.script("lead", [{ tools: [inner, refused] }, { text: "led" }]);
		const { text } = await host.prompt(
			script(
				{ tools: [delegate("NEST-A @@#lead#@@", { subagent_type: "lead" })] },
				{ text: "all done" },
			),
		);
		expect(text).toBe("all done");

		const [lead, ended] = requestsOf(world.server, "NEST-A @@#lead");
		expect(OWN.filter((name) => lead?.tools.includes(name))).toEqual(OWN);
		// It is told nothing that is true of the main session only.
		const tools = JSON.stringify(lead?.body.tools);
		expect(tools).toContain("Give a task to another agent");
		expect(tools).not.toContain("In the background");
		const [worked, unknown] = toolResults(ended);
		expect(worked).toContain("agent_id: ");
		expect(worked).toContain("OK.");
		expect(unknown).toContain("You may not start Plan; you may start worker, lead.");
		const [worker] = requestsOf(world.server, "NEST-A-WORKER");
		expect(worker?.tools).toEqual(["read"]);
		expect(requestsOf(world.server, "NEST-A-PLAN")).toEqual([]);
	});

	test("three levels run with one slot, and the last level has no tools to go deeper", async () => {
		const host = await world.session({ maxConcurrent: 1, maxDepth: 3 });
		const lead = { subagent_type: "lead" };
		world.server.script("one", [{ tools: [delegate("NEST-2 @@#two#@@", lead)] }, { text: "1" }]);
		world.server.script("two", [
			{ tools: [delegate("NEST-3a", lead), delegate("NEST-3b", lead)] },
			{ text: "2" },
		]);
		const both = [delegate("NEST-1 @@#one#@@", lead), delegate("NEST-1 @@#one#@@", lead)];
		const { text } = await host.prompt(script({ tools: both }, { text: "deep" }));
		expect(text).toBe("deep");
		expect(requestsOf(world.server, "NEST-3a")).toHaveLength(2);
		expect(requestsOf(world.server, "NEST-3b")).toHaveLength(2);
		expect(requestsOf(world.server, "NEST-2")[0]?.tools).toContain("subagent");
		expect(requestsOf(world.server, "NEST-3a")[0]?.tools).not.toContain("subagent");
	});

	test("a model that always starts two more is bounded and told to stop (RECUR-01)", async () => {
		const host = await world.session({ maxDepth: 9, maxNested: 5 });
		const two = [
			delegate("MORE @@#more#@@", { subagent_type: "lead" }),
			delegate("MORE @@#more#@@", { subagent_type: "lead" }),
		];
		world.server.script("more", [{ tools: two }, { text: "enough" }]);
		await host.prompt(
			script({ tools: [delegate("MORE @@#more#@@", { subagent_type: "lead" })] }, { text: "end" }),
		);
		// The first agent and five below it, two requests each.
		expect(requestsOf(world.server, "MORE")).toHaveLength(12);
		const results = requestsOf(world.server, "MORE").flatMap(toolResults);
		expect(
			results.filter((result) => result.includes("You may start no further agents")),
		).toHaveLength(7);
		expect(results.join("\n")).toContain("Do not try again");
	});

	test("stopping an agent stops those below it", async () => {
		const host = await world.session();
		world.server.script("lead-hang", [
			{
				tools: [
					delegate(`HANG-IN ${script({ hang: true, text: "…" })}`, { subagent_type: "worker" }),
				],
			},
		]);
		const running = host.prompt(
			script(
				{ tools: [delegate("HANG-OUT @@#lead-hang#@@", { subagent_type: "lead" })] },
				{ text: "x" },
			),
		);
		const inner = await world.server.waitForRequest((request) =>
			requestsOf(world.server, "HANG-IN").includes(request),
		);
		await host.abort();
		await inner.ended;
		await running;
		expect(inner.aborted).toBe(true);
	});

	test("twenty parallel agents that may delegate have the same tools (RECUR-04)", async () => {
		const host = await world.session({ maxConcurrent: 20 });
		const many = Array.from({ length: 20 }, () => delegate("EQUAL", { subagent_type: "lead" }));
		await host.prompt(script({ tools: many }, { text: "end" }));
		const lists = requestsOf(world.server, "EQUAL").map((request) =>
			JSON.stringify(request.body.tools),
		);
		expect(lists).toHaveLength(20);
		expect(new Set(lists).size).toBe(1);
		expect(lists[0]).toContain('"subagent"');
	});
}
