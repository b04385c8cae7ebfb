import { expect, test } from "vitest";
import type { HostName } from "../dist/index.js";
import { type ChildWorld, delegate, onBothHosts, script } from "./child-host.js";
import { agentId, askOne, atRest, bash, read, requestOf, steer, wakeUp } from "./tool-answers.js";

/** So much of a window of 20000 tokens that the host compacts. */
const FULL = { p: 19_000, c: 10 };

onBothHosts("agents whose conversation is compacted", compactedAgents, {
	agentFiles: { small: "---\ndescription: d\nmodel: mock/small\n---\nWork." },
	settings: { compaction: { enabled: true, reserveTokens: 2000, keepRecentTokens: 100 } },
});

function compactedAgents(world: ChildWorld, name: HostName): void {
	test("their usage only grows, and their conversation has each later round once and a mark where it was compacted (ACCOUNT-02) (CONTEXT-04) (RESULT-16)", async () => {
		const host = await world.session();
		const rounds = (from: number, end: object) =>
			script(
				...[0, 1, 2].map((n) => ({
					text: `round-${from + n} ${"word ".repeat(60)}`,
					tools: [bash("echo looked")],
					usage: { p: 1000, c: 10 },
				})),
				end,
			);
		const first = await askOne(
			host,
			delegate(`SMALL ${rounds(1, { text: "half way", usage: FULL })}`, { subagent_type: "small" }),
		);
		expect(first.text).toMatch(/: completed .*\n\nhalf way$/);
		const resumed = await askOne(
			host,
			delegate(`further ${rounds(4, { text: "the end" })}`, { resume: agentId(first.text) }),
		);
		expect(resumed.text).toMatch(/: completed .*\n\nthe end$/);
		expect(world.server.requests.some(({ kind }) => kind === "summary")).toBe(true);
		// 1.6.0 says what the summary took, too.
		const used = name === "released" ? ["22.0k", "25.2k"] : ["22.1k", "25.3k"];
		expect([first.text, resumed.text].map(tokens)).toEqual(used);

		const { text } = await askOne(host, read(agentId(first.text), { verbose: true }));
		expect(text.match(/\[Summary of what came before\]/g)).toHaveLength(1);
		for (const n of [4, 5, 6]) {
			const told = text.split("\n").filter((line) => line.startsWith(`round-${n} `));
			expect(told).toHaveLength(1);
		}
		expect(text).toMatch(/\[Assistant\]\nthe end\n```$/);
	});

	test("a compaction of the main session by itself stops no agent (ABORT-08)", async () => {
		const host = await world.session();
		const call = delegate(`STAYS ${script({ hold: "stays", text: "stayed" })}`, {
			run_in_background: true,
		});
		const full = { p: 99_000, c: 10 };
		const from = host.events.length;
		await host.prompt(script({ tools: [call] }, { text: "word ".repeat(400), usage: full }));
		await host.waitFor(({ type }) => type === "compaction_end", from);
		await atRest(host);
		const child = await requestOf(world, "STAYS");
		expect(child.open).toBe(true);
		const before = host.events.length;
		world.server.release("stays");
		expect(await wakeUp(host, before)).toContain("stayed");
	});

	test("a message that comes during a compaction is read after it (STEER-03)", async () => {
		const host = await world.session();
		world.server.setSummary({ text: "SUMMARY", hold: "summary" });
		const look = { text: "word ".repeat(60), tools: [bash("true")], usage: { p: 1000, c: 10 } };
		const full = { ...look, usage: FULL };
		const steps = script(look, look, look, full, { text: "done", usage: FULL });
		const call = delegate(`LATE ${steps}`, { subagent_type: "small", run_in_background: true });
		const before = world.server.requests.length;
		const { text } = await askOne(host, call);
		await world.server.waitForRequest(({ kind, index }) => kind === "summary" && index >= before);
		const told = await askOne(host, steer(agentId(text), "one more thing"));
		expect(told.isError).toBe(false);
		const from = host.events.length;
		world.server.release("summary");
		expect(await wakeUp(host, from)).toContain(": completed");
		const asked = world.server.requests.slice(before).map(({ messages }) => messages);
		expect(JSON.stringify(asked)).toContain("one more thing");
	});
}

function tokens(text: string): string | undefined {
	return /, ([\d.]+k) tokens, /.exec(text)?.[1];
}
