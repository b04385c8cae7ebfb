import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
	type ChildWorld,
	delegate,
	onBothHosts,
	readLog,
	requestsOf,
	script,
	toolResults,
	type WorldOptions,
} from "./child-host.js";

const fixture = (name: string): Promise<string> =>
	readFile(join(import.meta.dirname, "fixtures", name), "utf8");
/** A tool that shows a component of its own. */
const SHOWS = `
	export default (pi) => pi.registerTool({
		name: "shows", label: "shows", description: "shows",
		parameters: { type: "object", properties: {} },
		async execute(id, args, signal, onUpdate, ctx) {
			const answer = await ctx.ui.custom(() => ({ render: () => ["x"], invalidate() {} }));
			return { content: [{ type: "text", text: "shown: " + answer }], details: {} };
		},
	});`;
const bash = (command: string) => ({ name: "bash", args: { command } });

/** Starts a host with a permission extension and a folder for its notes. */
async function withPermissions(
	name: string,
	options: WorldOptions = {},
): Promise<{ readonly options: WorldOptions; readonly probes: string }> {
	const probes = await mkdtemp(join(tmpdir(), "pi-subagents-probes-"));
	const others = { [name]: await fixture(name), ...options.others };
	return { options: { ...options, others, env: { PROBE_DIR: probes } }, probes };
}

async function startPrompt(world: ChildWorld, options: WorldOptions, prompt: string) {
	const host = await world.rpc(options);
	const running = host.prompt(prompt);
	const dialog = (from: number) =>
		host.waitFor(
			(event) => event.type === "extension_ui_request" && event.method === "confirm",
			from,
		);
	return { host, running, dialog };
}

onBothHosts("permissions in children", (world) => {
	test("over RPC dialogs reach the client with the agent's name, one at a time (PERM-01)", async () => {
		const { options, probes } = await withPermissions("asking-permissions.ts");
		const first = delegate(`ASK-1 ${script({ tools: [bash("echo one")] }, { text: "ran" })}`, {
			description: "first job",
		});
		const second = delegate(`ASK-2 ${script({ tools: [bash("echo two")] }, { text: "ran" })}`, {
			description: "second job",
		});
		const { host, running, dialog } = await startPrompt(
			world,
			options,
			script({ tools: [first, second] }, { text: "end" }),
		);
		const asked = await dialog(0);
		expect(asked.title).toMatch(/^\[general-purpose: (first|second) job\] Run a command\?$/);
		const isDialog = (event: { readonly type: string }): boolean =>
			event.type === "extension_ui_request" && "method" in event && event.method === "confirm";
		// The second agent's call has begun, and still there is one dialog only.
		await host.waitFor((event) => event.type === "extension_ui_request", 0);
		expect(host.events.filter(isDialog)).toHaveLength(1);
		const from = host.events.length;
		host.respond(asked, { confirmed: true });
		const next = await dialog(from);
		expect(next.title).not.toBe(asked.title);
		host.respond(next, { confirmed: false });
		await running;
		const results = ["ASK-1", "ASK-2"].flatMap((name) =>
			toolResults(requestsOf(world.server, name).at(-1)),
		);
		expect(results.filter((text) => text.includes("The user said no."))).toHaveLength(1);
		expect(results.filter((text) => /^(one|two)/.test(text))).toHaveLength(1);
		expect((await readLog(probes, "asked")).map((line) => line.hasUI)).toEqual([true, true]);
	});

	test("in print mode a dialog fails at once, the child knows that there is no UI, and is told why (PERM-02)", async () => {
		const { options, probes } = await withPermissions("asking-permissions.ts");
		const host = await world.print(options);
		const task = delegate(`PRINT ${script({ tools: [bash("echo x")] }, { text: "refused" })}`);
		const { code } = await host.run(`p ${script({ tools: [task] }, { text: "end" })}`);
		expect(code).toBe(0);
		expect(toolResults(requestsOf(world.server, "PRINT").at(-1)).join()).toContain(
			"Nobody is there to allow bash.",
		);
		expect(await readLog(probes, "asked")).toMatchObject([{ hasUI: false, allowed: false }]);
	});

	test("a component of an agent's extension is answered with nothing where none can be shown, as in the session itself", async () => {
		const shows = { name: "shows" };
		const task = delegate(`SHOWS ${script({ tools: [shows] }, { text: "ok" })}`);
		const rpc = await world.rpc({ others: { "shows.ts": SHOWS } });
		await rpc.prompt(`own ${script({ tools: [shows, task] }, { text: "end" })}`);
		const answers = [...requestsOf(world.server, "SHOWS"), ...requestsOf(world.server, "own ")]
			.flatMap(toolResults)
			.filter((text) => text.startsWith("shown: "));
		expect(answers).toEqual(["shown: undefined", "shown: undefined"]);
		await rpc.dispose();
	});

	test("a dialog of an agent that is stopped is cancelled", async () => {
		const { options } = await withPermissions("asking-permissions.ts");
		const task = delegate(`OPEN ${script({ tools: [bash("echo x")] }, { text: "…" })}`);
		const { host, running, dialog } = await startPrompt(world, options, script({ tools: [task] }));
		await dialog(0);
		await host.abort();
		await running;
		expect(requestsOf(world.server, "OPEN")).toHaveLength(1);
	});

	test("a dialog of an agent whose session is replaced is cancelled at once", async () => {
		const { options, probes } = await withPermissions("asking-permissions.ts");
		const task = delegate(`GONE ${script({ tools: [bash("echo x")] }, { text: "…" })}`, {
			run_in_background: true,
		});
		const { host, running, dialog } = await startPrompt(
			world,
			options,
			script({ tools: [task] }, { text: "started" }),
		);
		await dialog(0);
		await running;
		const answer = await host.send({ type: "new_session" });
		expect(answer.success).toBe(true);
		expect(await readLog(probes, "asked")).toMatchObject([{ hasUI: true, allowed: false }]);
	});

	test("an extension can veto an agent, at once or after thinking, and a decision that fails or never comes is a veto", async () => {
		const { options } = await withPermissions("registering-permissions.ts", {
			subagents: { vetoSeconds: 0.2 },
		});
		const host = await world.rpc(options);
		const tasks = ["FORBIDDEN", "LATER", "FAILING", "NEVER", "FINE"].map((name) =>
			delegate(`VETO ${name}`),
		);
		await host.prompt(`v ${script({ tools: tasks }, { text: "end" })}`);
		const results = toolResults(requestsOf(world.server, "v ").at(-1));
		expect(results.slice(0, 4)).toEqual([
			"general-purpose was not started: the task is forbidden.",
			"general-purpose was not started: on reflection, no.",
			"general-purpose was not started: the extension that decides failed: no policy.",
			"general-purpose was not started: an extension did not decide within 0.2 seconds.",
		]);
		expect(results[4]).toContain("OK.");
		expect(requestsOf(world.server, "VETO")).toHaveLength(1);
	});

	test("a registry in the main session knows each child before its first hook, and until its end, on every level", async () => {
		const lead = "---\ndescription: Leads\nsubagents: '*'\n---\nLead.";
		const { options, probes } = await withPermissions("registering-permissions.ts", {
			agentFiles: { lead },
		});
		const host = await world.rpc(options);
		const write = { name: "write", args: { path: "x.txt", content: "x" } };
		world.server.script("inner", [{ tools: [write] }, { text: "no" }]);
		world.server.script("outer", [{ tools: [delegate("REG-IN @@#inner#@@")] }, { text: "no" }]);
		await host.prompt(
			`r ${script({ tools: [delegate("REG-OUT @@#outer#@@", { subagent_type: "lead" })] }, { text: "end" })}`,
		);
		expect(toolResults(requestsOf(world.server, "REG-IN").at(-1)).join()).toContain(
			"Agents of the type general-purpose do not write (depth 2).",
		);
		const log = await readLog(probes, "registry");
		const steps = (type: string) =>
			log
				.filter((line) => line.type === type || line.known === type)
				.map((line) => `${line.event}${line.in === "child" ? " (child)" : ""}`);
		// Each child hears `session-created` on its own bus, too, before its first hook, and `bound` after it.
		const sequence = [
			"spawning",
			"session-created",
			"session-created",
			"session_start",
			"bound",
			"bound (child)",
			"completed",
			"disposed",
		];
		expect(steps("general-purpose")).toEqual(sequence);
		expect(steps("lead")).toEqual(sequence);
		const inner = log.find((line) => line.event === "completed" && line.type === "general-purpose");
		const outer = log.find((line) => line.event === "completed" && line.type === "lead");
		expect(inner).toMatchObject({
			depth: 2,
			parentId: outer?.id,
			parentSessionId: outer?.sessionId,
		});
		expect(inner?.sessionFile).toEqual(expect.stringContaining(".jsonl"));
		expect(outer).toMatchObject({ depth: 1, status: "completed", reason: "finished" });
	});
});
