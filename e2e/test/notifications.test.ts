import { expect, inject, test } from "vitest";
import { type ChildWorld, delegate, onBothHosts, script } from "./child-host.js";
import {
	agentId,
	ask,
	askOne,
	atRest,
	notifications,
	notificationsIn,
	requestOf,
	wakeUp,
} from "./tool-answers.js";

/** Adds a mark to the system prompt of every run. */
const MARKER = `export default (pi) => {
	pi.on("before_agent_start", (event) => ({ systemPrompt: (event.systemPrompt ?? "") + " MARK-9" }));
};`;

const RELOAD = `export default (pi) => pi.registerCommand("reload-now", {
	handler: (_, ctx) => ctx.reload(),
});`;

onBothHosts("notifications beside others", beside);

function beside(world: ChildWorld): void {
	test("a run that an agent's end starts has what other extensions add to the system prompt, and an end is told to no other session (NOTIFY-07) (NOTIFY-11)", async () => {
		const host = await world.rpc({ others: { "marker.ts": MARKER } });
		await askOne(
			host,
			delegate(`MARKED ${script({ hold: "marked" })}`, { run_in_background: true }),
		);
		const from = host.events.length;
		world.server.release("marked");
		await wakeUp(host, from);
		// 0.73.1 does not ask them again; there it is what they said for the run before.
		expect(world.server.requests.at(-1)?.system).toContain("MARK-9");

		const left = await askOne(
			host,
			delegate(`LEFT ${script({ hold: "left" })}`, { run_in_background: true }),
		);
		const before = host.events.length;
		await host.send({ type: "new_session" });
		const id = agentId(left.text);
		const told = host.events
			.slice(before)
			.find(({ method, message }) => method === "notify" && String(message).includes(id));
		expect(told?.message).toMatch(/stopped .*; they can be resumed in this session/);
		await host.prompt(script({ text: "a new session" }));
		expect(JSON.stringify(world.server.requests.at(-1)?.messages)).not.toContain(id);
		await host.close();
	});

	test("an extension that is loaded twice and a reload while agents run: each end is told once, in one turn (NOTIFY-04)", async () => {
		const host = await world.rpc({
			settings: { extensions: [inject("extension")] },
			others: { "reload.ts": RELOAD },
		});
		const calls = ["ONCE-1", "ONCE-2"].map((task) =>
			delegate(`${task} ${script({ hold: "once" })}`, { run_in_background: true }),
		);
		const ids = (await ask(host, ...calls)).map(({ text }) => agentId(text));
		await Promise.all(["ONCE-1", "ONCE-2"].map((task) => requestOf(world, task)));
		const from = host.events.length;
		await host.send({ type: "prompt", message: "/reload-now" });
		await atRest(host);
		const reloaded = host.events.length;
		await host.prompt("anything new?");
		await wakeUp(host, reloaded);
		await host.prompt("and now?");
		expect(notifications(host.events.slice(from))).toHaveLength(1);
		const told = notificationsIn(world.server.requests.at(-1)).join("\n");
		for (const id of ids) expect(told.split(`agent_id: ${id}`)).toHaveLength(2);
		await host.close();
	});
}
