import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { RpcTestHost } from "@pi-subagents/test-helpers";
import { expect, inject, test } from "vitest";
import { type ChildWorld, onBothHosts, requestsOf, script } from "./child-host.js";
import { askOne, read } from "./tool-answers.js";

const ENTRY = pathToFileURL(join(inject("extension"), "dist/service/index.js")).href;

/** Runs code with the service when told to by `/service`, and writes down what it sees inside of agents. */
const CALLER = `
	import * as access from ${JSON.stringify(ENTRY)};
	const AsyncFunction = (async () => {}).constructor;
	const kept = (globalThis.kept ??= { inside: [], ready: 0 });
	export default (pi) => {
		const inside = access.getSubagentsService().reason === "inside_agent";
		const look = () => void kept.inside.push(access.getSubagentsService().reason ?? "found");
		if (inside) for (const hook of ["session_start", "tool_call", "session_shutdown"]) pi.on(hook, look);
		else access.withSubagentsService(pi, () => kept.ready++);
		pi.registerCommand("service", {
			handler: async (code, ctx) => {
				const { ui } = ctx;
				const found = access.getSubagentsService();
				const run = new AsyncFunction("service", "kept", "access", "ctx", "pi", code);
				const said = await run(found.service, kept, access, ctx, pi).catch((error) => "threw " + error.stack);
				ui.notify("said " + JSON.stringify(said ?? null));
			},
		});
	};
`;

onBothHosts("the service", service, { others: { "caller.ts": CALLER } });

/** What the code returns. */
async function run(host: RpcTestHost, code: string): Promise<unknown> {
	const from = host.events.length;
	await host.send({ type: "prompt", message: `/service ${code}` });
	const event = await host.waitFor(
		({ message }) => typeof message === "string" && message.startsWith("said "),
		from,
	);
	return JSON.parse(String(event.message).slice("said ".length));
}

function task(prompt: string, more: object = {}): string {
	return `service.spawn(${JSON.stringify({ type: "general-purpose", prompt, ...more })})`;
}

function service(world: ChildWorld): void {
	test("starts, follows, steers, stops and resumes an agent, which the model's tools know, too", async () => {
		const host = await world.session();
		const [first, second] = [script({ text: "one" }), script({ text: "two" })];
		const said = await run(
			host,
			`const seen = [];
			const stop = service.subscribe((event) => seen.push(event.type));
			const { ok, agent, notes } = await ${task(`SERVED ${first}`)};
			const ended = await service.wait(agent.id);
			const late = await service.steer(agent.id, "more");
			await service.resume(agent.id, { prompt: ${JSON.stringify(second)} });
			const again = await service.wait(agent.id);
			stop();
			const hung = await ${task(`HUNG ${script({ hang: true })}`)};
			const early = await service.resume(hung.agent.id, { prompt: "p" });
			const stopped = await service.stop(hung.agent.id);
			const all = await service.waitForAll();
			return { id: agent.id, status: agent.status, description: agent.description, notes, seen,
				results: [ended.agent.result, again.agent.result], runs: again.agent.runCount,
				reasons: [late.reason, early.reason, (await service.stop("x")).reason],
				stopped: stopped.agent.outcome, all: all.agents.length, listed: service.list().length };`,
		);
		expect(said).toMatchObject({
			status: "running",
			description: `SERVED ${first}`.slice(0, 60),
			notes: [],
			seen: [
				...["created", "started", "session", "ended"],
				...["resumed", "started", "session", "ended"],
			],
			results: ["one", "two"],
			runs: 2,
			reasons: ["ended", "not_ended", "unknown_agent"],
			stopped: { status: "stopped", reason: "program" },
			all: 2,
			listed: 2,
		});
		const { id } = said as { id: string };
		expect((await askOne(host, read(id))).text).toContain("two");
	});

	test("goes the same way as calls of the model: types, veto, limits and queue", async () => {
		const host = await world.session({ maxConcurrent: 1, agents: { Plan: false } });
		const said = await run(
			host,
			`const stop = pi.events.on("subagents:spawning", (event) => {
				if (event.prompt === "forbidden") event.veto("policy-S");
			});
			const refused = [
				await service.spawn({ type: "nobody", prompt: "p" }),
				await service.spawn({ type: "Plan", prompt: "p" }),
				await ${task("forbidden")},
				await ${task(" ")},
				await ${task("p", { maxTurns: -1 })},
			];
			stop();
			const one = await ${task(`QUEUE ${script({ hang: true })}`)};
			const two = await ${task("QUEUE two")};
			await service.stop(one.agent.id);
			const { agent } = await service.wait(two.agent.id);
			return { refused: refused.map(({ ok, message }) => [ok, message]), queued: two.agent.status, after: agent.status };`,
		);
		expect(said).toEqual({
			refused: [
				[false, expect.stringContaining("general-purpose")],
				[false, expect.stringContaining("disabled")],
				[false, "general-purpose was not started: policy-S."],
				[false, "The prompt is empty; say what the agent has to do."],
				[false, expect.stringContaining("max")],
			],
			queued: "queued",
			after: "completed",
		});
	});

	test("tells the model of an end only if it is asked to", async () => {
		const host = await world.session();
		const silent = script({ text: "silent-report" });
		await run(host, `return service.wait((await ${task(`A ${silent}`)}).agent.id);`);
		const from = host.events.length;
		const loud = script({ text: "loud-report" });
		await run(host, `return ${task(`B ${loud}`, { wakeParent: true })};`);
		const told = await host.waitFor(
			({ type, message }) =>
				type === "message_end" && JSON.stringify(message).includes("loud-report"),
			from,
		);
		expect(JSON.stringify(told)).not.toContain("silent-report");
		await host.waitFor(({ type }) => type === "agent_end", from);
	});

	test("is not there inside of agents and stays the main session's meanwhile", async () => {
		const host = await world.session();
		const bash = { tools: [{ name: "bash", args: { command: "true" } }] };
		const said = await run(
			host,
			`kept.inside = [];
			const published = globalThis[access.SERVICE_KEY];
			const watched = [];
			service.subscribe((event) => {
				if (event.type !== "session") return;
				event.session.subscribe(() => watched.push(globalThis[access.SERVICE_KEY] === published));
			});
			const heard = new Promise((resolve) => pi.events.on("subagents:completed", () =>
				resolve(access.getSubagentsService().ok)));
			await service.wait((await ${task(`INSIDE ${script(bash, { text: "done" })}`)}).agent.id);
			return { inside: kept.inside, same: watched.length > 0 && watched.every(Boolean), heard: await heard };`,
		);
		expect(said).toEqual({
			inside: ["inside_agent", "inside_agent", "inside_agent"],
			same: true,
			heard: true,
		});
	});

	test("says that it is stale after a reload, and the next one knows the agents", async () => {
		const host = await world.session();
		const said = await run(
			host,
			`const { agent } = await ${task(`BEFORE ${script({ text: "kept" })}`)};
			await service.wait(agent.id);
			const seen = [];
			service.subscribe(({ type }) => seen.push(type));
			Object.assign(kept, { id: agent.id, old: service, seen, ready: 0 });
			await ctx.reload();
			return "reloaded";`,
		);
		expect(said).toBe("reloaded");
		expect(
			await run(
				host,
				`const { id, old, seen, ready } = kept;
				const answers = [await old.spawn({ type: "Plan", prompt: "p" }), await old.wait(id), old.get(id)];
				return { seen, ready, stale: [old.isStale, old.list().length], same: old === service,
					reasons: answers.map(({ reason }) => reason), kept: service.get(id).agent.result };`,
			),
		).toEqual({
			seen: ["closed"],
			ready: 1,
			stale: [true, 0],
			same: false,
			reasons: ["stale", "stale", "stale"],
			kept: "kept",
		});
	});

	test("speaks the versions that it has", async () => {
		const host = await world.session();
		expect(
			await run(
				host,
				`const ask = (major, minor) => access.getSubagentsService({ major, minor });
				return [ask(1, 0).ok, ask(1, 99).message, ask(2, 0).reason];`,
			),
		).toEqual([
			true,
			"Version 1.99 of the service is needed and @pi-subagents/pi-extension has 1.0; update the older one.",
			"incompatible",
		]);
	});

	test("takes types and places to work in from other extensions", async () => {
		const host = await world.session();
		const place = await mkdtemp(join(tmpdir(), "pi-subagents-place-"));
		const said = await run(
			host,
			`const broken = service.registerType({ name: "Odd" }, "caller");
			const type = service.registerType({ name: "Placed", description: "d", prompt: "BE-PLACED" }, "caller");
			const provider = {
				prepare: async () => ({ cwd: ${JSON.stringify(place)}, root: ${JSON.stringify(place)}, notes: ["note-P"],
					finish: async () => ({ text: "left there", changed: false, problems: [] }) }),
			};
			const places = service.registerWorkspaceProvider(provider, { types: ["placed"] });
			const { agent } = await service.spawn({ type: "placed", isolation: "worktree",
				prompt: ${JSON.stringify(`PLACED ${script({ tools: [{ name: "bash", args: { command: "pwd" } }] }, { text: "done" })}`)} });
			const ended = await service.wait(agent.id);
			places.unregister();
			const known = (await service.listTypes()).some(({ name }) => name === "Placed");
			type.unregister();
			return { broken: broken.message, status: ended.agent.status, known,
				after: (await service.listTypes()).some(({ name }) => name === "Placed") };`,
		);
		expect(said).toEqual({
			broken: expect.stringContaining("needs a name, a description and a prompt"),
			status: "completed",
			known: true,
			after: false,
		});
		const [, last] = requestsOf(world.server, "PLACED");
		expect(JSON.stringify(last?.messages)).toContain(place);
		await rm(place, { recursive: true });
	});
}
