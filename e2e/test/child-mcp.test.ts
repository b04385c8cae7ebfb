import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { delegate, onBothHosts, readLog, requestsOf, script, toolResults } from "./child-host.js";

const fixtures = join(import.meta.dirname, "fixtures");
const call = (name: string) => ({ name: `mcp__demo__${name}`, args: {} });
/** Waits until so many servers have connected; a moment later, their tools are there. */
const connected = (count: number) => {
	const ready = `until [ "$(grep -c ready "$MCP_LOG")" -ge ${count} ]; do sleep 0.05; done`;
	return { name: "bash", args: { command: `${ready}; sleep 0.2` } };
};

onBothHosts("an MCP server in children", (world, host) => {
	// 0.73.1 offers a model only tools that were there when its run began, and shares none.
	test.runIf(host === "current").each(["shared", "again"] as const)(
		"that is still connecting, with two children at once, a dialog, and a reload: %s",
		async (how) => {
			const logs = await mkdtemp(join(tmpdir(), "pi-subagents-mcp-"));
			onTestFinished(() => rm(logs, { recursive: true, force: true }));
			const server = async () => {
				const lines = await readLog(logs, "log");
				const pids = (event: string) =>
					lines.filter((line) => line.event === event).map(({ pid }) => String(pid));
				return { started: pids("start"), exited: pids("exit"), hanging: pids("hang").length };
			};
			const rpc = await world.rpc({
				others: { "mcp-client.ts": await readFile(join(fixtures, "mcp-client.ts"), "utf8") },
				env: { MCP_SERVER: join(fixtures, "mcp-server.mjs"), MCP_LOG: join(logs, "log") },
				subagents: { sharedExtensions: how === "shared" ? ["mcp-client"] : [] },
			});
			const task = (servers: { shared: number; again: number }, last: string) =>
				script(
					{ tools: [connected(servers[how])] },
					{ tools: [call("count"), call(last)] },
					{ text: "end" },
				);
			const asks = task({ shared: 1, again: 3 }, "asked_count");
			const running = rpc.prompt(
				`m ${script({ tools: [delegate(`${how}-1 ${asks}`), delegate(`${how}-2 ${asks}`)] }, { text: "end" })}`,
			);
			const titles: unknown[] = [];
			for (let answered = 0, from = 0; answered < 2; answered++) {
				const dialog = await rpc.waitFor(
					(event) => event.type === "extension_ui_request" && event.method === "confirm",
					from,
				);
				from = rpc.events.indexOf(dialog) + 1;
				titles.push(dialog.title);
				rpc.respond(dialog, { confirmed: true });
			}
			await running;

			// Nobody had the tools when the children began.
			expect(requestsOf(world.server, `${how}-1`)[0]?.tools).not.toContain("mcp__demo__count");
			const answers = [1, 2].map((child) =>
				toolResults(requestsOf(world.server, `${how}-${child}`).at(-1)).slice(1),
			);
			const pids = new Set(answers.flat().map((text) => text.split("/")[0]));
			const counts = answers.flat().map((text) => text.split("/")[1]);
			const { started, exited } = await server();
			if (how === "shared") {
				expect(started).toHaveLength(1);
				expect([...pids]).toEqual(started);
				expect(counts.sort()).toEqual(["1", "2", "3", "4"]);
				// The tool does not know who called it.
				expect(titles).toEqual(["Use the server?", "Use the server?"]);
			} else {
				expect(started).toHaveLength(3);
				expect([...pids].sort()).toEqual(started.slice(1).sort());
				expect(counts.sort()).toEqual(["1", "1", "2", "2"]);
				const named = "[general-purpose: a task] Use the server?";
				expect(titles).toEqual([named, named]);
				await expect.poll(async () => (await server()).exited).toHaveLength(2);
			}
			expect(exited).not.toContain(started[0]);

			// A call that is going on when the main session is reloaded ends with its agent, and so do the servers.
			const lasting = task({ shared: 1, again: 4 }, "hang");
			const background = delegate(`${how}-3 ${lasting}`, { run_in_background: true });
			await rpc.prompt(`b ${script({ tools: [background] }, { text: "started" })}`);
			await expect.poll(async () => (await server()).hanging, { timeout: 20_000 }).toBe(1);
			await rpc.send({ type: "prompt", message: "/reload-now" });
			await rpc.prompt(
				`a ${script({ tools: [delegate(`${how}-4 ${task({ shared: 2, again: 6 }, "count")}`)] }, { tools: [{ name: "get_subagent_result", args: {} }] }, { text: "end" })}`,
			);
			const told = toolResults(requestsOf(world.server, "m ").at(-1)).join();
			expect(told).toMatch(/general-purpose.* stopped/);
			const last = toolResults(requestsOf(world.server, `${how}-4`).at(-1)).slice(1);
			expect(last).toHaveLength(2);
			expect(answers.flat()).not.toContain(last[0]);

			const { code, stderr } = await rpc.close();
			expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
			await expect
				.poll(async () => {
					const now = await server();
					return now.started.filter((pid) => !now.exited.includes(pid));
				})
				.toEqual([]);
		},
	);
});
