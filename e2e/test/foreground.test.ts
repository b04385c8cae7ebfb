import { expect, test } from "vitest";
import {
	type ChildWorld,
	delegate,
	onBothHosts,
	requestsOf,
	script,
	toolResults,
} from "./child-host.js";
import { agentId, ask, askOne, bash, notificationsIn, read } from "./tool-answers.js";

const AGENTS = {
	hasty: "---\ndescription: Has little time\nmax_seconds: 0.3\n---\nHurry.",
	curt: "---\ndescription: Has one turn\nmax_turns: 1\ngrace_turns: 1\n---\nBe curt.",
};
const BAD_REQUEST = {
	error: { status: 400, body: { error: { message: "no such thing", type: "x" } } },
};
const OVERLOADED = {
	error: { status: 503, body: { error: { message: "overloaded", type: "x" } } },
};
const READ = { name: "read", args: { path: "a.txt" } };

onBothHosts("foreground agents", foregroundAgents, {
	agentFiles: AGENTS,
	projectFiles: { "a.txt": "hello" },
});

function foregroundAgents(world: ChildWorld): void {
	test("a result has the agent's id, how it ended, what it used and its text; made-up ids list the known ones (RESULT-13)", async () => {
		const host = await world.session();
		const { isError, text } = await askOne(
			host,
			delegate(`FG ${script({ text: "looking", tools: [READ] }, { text: "FOUND IT" })}`),
		);
		expect(isError).toBe(false);
		expect(text).toMatch(
			/^agent_id: \S+\ngeneral-purpose "a task": completed \(2 turns, 1 tool use, 220 tokens, \$0\.0002, [\d.]+s\)\.\n\nFOUND IT$/,
		);

		const id = agentId(text);
		const [again, resumed] = await ask(host, read(id), delegate("and now", { resume: id }));
		expect(again?.text).toContain("FOUND IT");
		expect(resumed?.isError).toBe(false);
		const [first] = requestsOf(world.server, "FG ").slice(-1);
		expect(first?.lastUserText).toBe("and now");
		expect(first?.roles.filter((role) => role !== "system")).toEqual([
			"user",
			"assistant",
			"tool",
			"assistant",
			"user",
		]);

		const [unread, unresumed] = await ask(
			host,
			read("made-up"),
			delegate("and now", { resume: "made-up" }),
		);
		const unknown = {
			isError: true,
			text: `There is no agent "made-up". Known agents: ${id} (general-purpose).`,
		};
		expect([unread, unresumed]).toMatchObject([unknown, unknown]);
	});

	test("three agents of one message run at the same time, and their results come in the order of the calls (RESULT-09)", async () => {
		const host = await world.session();
		const names = ["A", "B", "C"];
		const calls = names.map((name) =>
			delegate(`TRIO-${name} ${script({ hold: `trio-${name}`, text: `${name}-out` })}`, {
				description: `task ${name}`,
			}),
		);
		const answered = ask(host, ...calls);
		const requests = await Promise.all(
			names.map((name) =>
				world.server.waitForRequest(({ lastUserText }) => lastUserText.startsWith(`TRIO-${name}`)),
			),
		);
		// All three are being answered, and none can end before it is released.
		expect(requests.map(({ open }) => open)).toEqual([true, true, true]);
		for (const [index, name] of [...names.entries()].reverse()) {
			world.server.release(`trio-${name}`);
			await requests[index]?.ended;
		}
		const answers = await answered;
		expect(answers.map(({ text }) => /"(task .)".*\n\n(.*)/.exec(text)?.slice(1))).toEqual(
			names.map((name) => [`task ${name}`, `${name}-out`]),
		);
	});

	test("a provider that gives up makes the run an error, with its message and the text so far as partial (RESULT-01)", async () => {
		const host = await world.session();
		const failing = script({ text: "looking now", tools: [READ] }, BAD_REQUEST);
		const first = await askOne(host, delegate(`GIVES-UP ${failing}`));
		const second = await askOne(
			host,
			delegate(`again ${failing}`, { resume: agentId(first.text) }),
		);
		for (const { isError, text } of [first, second]) {
			expect(isError).toBe(true);
			expect(text).toMatch(/: the model provider failed: .*no such thing/);
			expect(text).toMatch(/\n\nPartial text, not a finished report:\n\nlooking now$/);
		}
		expect(agentId(second.text)).toBe(agentId(first.text));
	});

	test("retries that are used up are an error with the last text; one that works is a success (RESULT-11)", async () => {
		const host = await world.session();
		const page = (name: string) => ({ text: name, tools: [READ] });
		const [dead, revived] = await ask(
			host,
			delegate(
				`DEAD ${script(page("P1"), page("P2"), page("P3"), OVERLOADED, OVERLOADED, OVERLOADED)}`,
			),
			delegate(`REVIVED ${script(page("P1"), OVERLOADED, { text: "fine after all" })}`),
		);
		expect(dead?.isError).toBe(true);
		expect(dead?.text).toMatch(/the model provider failed: .*overloaded/);
		expect(dead?.text).toMatch(/Partial text, not a finished report:\n\nP3$/);
		// Three pages, the failure and its two retries.
		expect(requestsOf(world.server, "DEAD")).toHaveLength(6);
		expect(revived).toMatchObject({ isError: false });
		expect(revived?.text).toMatch(/: completed .*\n\nfine after all$/);
	});

	test("thinking is not part of the report (RESULT-02)", async () => {
		const host = await world.session();
		const { text } = await askOne(
			host,
			delegate(`THINKS ${script({ think: "hm hm", text: "  ANSWER-1\n\nANSWER-2 " })}`),
		);
		expect(text).toMatch(/: completed .*\n\nANSWER-1\n\nANSWER-2$/);
	});

	test("a run whose last message has no text says so, and gives the last text it has (RESULT-03)", async () => {
		const host = await world.session();
		const rounds = [1, 2, 3, 4, 5].map((round) => ({ text: `round ${round}`, tools: [READ] }));
		const [late, silent] = await ask(
			host,
			delegate(`LATE ${script(...rounds, { think: "enough" })}`),
			delegate(`SILENT ${script({ think: "nothing to say" })}`),
		);
		expect(late?.text).toMatch(
			/: finished without a report .*\n\nIts last message had no text; this is the last text of the run:\n\nround 5$/,
		);
		expect(silent?.text).toMatch(/: finished without a report .*\n\nIt ended without any text\.$/);
	});

	test("long reports arrive whole, whatever happens to a sibling (RESULT-06) (RESULT-15) (STATUS-05)", async () => {
		const host = await world.session();
		const long = (end: string, length = 6000): string => "x".repeat(length - end.length) + end;
		const answers = await ask(
			host,
			delegate(`LONG-1 ${script({ text: long("END-1") })}`),
			delegate(`LONG-2 ${script({ text: long("END-2", 3000), tools: [READ] }, BAD_REQUEST)}`),
			delegate(`LONG-3 ${script({ text: long("END-3") })}`),
			delegate("LONG-4 in a worktree, outside of a repository", { isolation: "worktree" }),
			delegate("LONG-5 the same in the background", {
				isolation: "worktree",
				run_in_background: true,
			}),
		);
		expect(answers.map(({ isError }) => isError)).toEqual([false, true, false, true, true]);
		expect(answers[0]?.text.endsWith(long("END-1"))).toBe(true);
		expect(answers[1]?.text).toContain("no such thing");
		expect(answers[1]?.text.endsWith(long("END-2", 3000))).toBe(true);
		expect(answers[2]?.text.endsWith(long("END-3"))).toBe(true);
		for (const { text } of answers.slice(3)) {
			expect(text).toMatch(/^agent_id: \S+\n.*could not be started: .*git repository/);
		}
		for (const task of ["LONG-4", "LONG-5"]) expect(requestsOf(world.server, task)).toEqual([]);
		await host.prompt("anything else?");
		expect(notificationsIn(world.server.requests.at(-1))).toEqual([]);
	});

	test("a report that is cut says how much is missing, and the call that it names brings it (RESULT-06)", async () => {
		const host = await world.session();
		world.server.script("huge", [{ text: `${"y".repeat(39_994)}THE END` }]);
		const { text } = await askOne(host, delegate("HUGE @@#huge#@@"));
		expect(text).toContain("[Characters 0 to 32768 of 40001. The rest: get_subagent_result(");
		const rest = /The rest: get_subagent_result\((.*)\)\]$/.exec(text)?.[1] ?? "";
		const more = await askOne(host, { name: "get_subagent_result", args: rest });
		expect(more.text).toContain("THE END");
		expect(more.isError).toBe(false);
	});

	test("an answer that was cut at the output limit is called incomplete (RESULT-08)", async () => {
		const host = await world.session();
		const { text } = await askOne(
			host,
			delegate(`CUT ${script({ text: "half a sen", finish: "length", usage: { c: 4000 } })}`),
		);
		expect(text).toMatch(
			/: cut off at the model's output limit; the text is incomplete .*\n\nPartial text, not a finished report:\n\nhalf a sen$/,
		);
	});

	test("a failed agent goes on with what it had (RESULT-14)", async () => {
		const host = await world.session();
		const missing = { name: "read", args: { path: "missing.txt" } };
		const failed = await askOne(
			host,
			delegate(
				`THIRD ${script({ text: "one", tools: [READ] }, { tools: [missing] }, BAD_REQUEST)}`,
			),
		);
		expect(failed.isError).toBe(true);
		const id = agentId(failed.text);
		const { isError, text } = await askOne(host, delegate("carry on", { resume: id }));
		expect(isError).toBe(false);
		expect(text).toContain("OK.");
		const last = requestsOf(world.server, "THIRD").at(-1);
		expect(last?.lastUserText).toBe("carry on");
		expect(toolResults(last)[0]).toContain("hello");
	});

	test("the turn limit is told, whether the agent wraps up or not (STATUS-01)", async () => {
		const host = await world.session();
		const again = { text: "more to do", tools: [READ] };
		const [wrapped, cut, late] = await ask(
			host,
			delegate(`WRAPS ${script(again, { text: "in short" })}`, { max_turns: 1 }),
			delegate(`GOES-ON ${script(again, again, again, again)}`, { subagent_type: "curt" }),
			delegate(`TOO-LATE ${script({ text: "so far", hang: true })}`, { subagent_type: "hasty" }),
		);
		expect(wrapped?.text).toMatch(/: turn limit reached, wrapped up in time .*\n\nin short$/);
		expect(wrapped?.isError).toBe(false);
		expect(requestsOf(world.server, "WRAPS").at(-1)?.lastUserText).toContain("turn limit");
		expect(cut?.text).toMatch(/: turn limit reached, cut off.*\n\nPartial text.*\n\nmore to do$/);
		expect(requestsOf(world.server, "GOES-ON")).toHaveLength(2);
		expect(late?.text).toMatch(/: time limit reached, cut off/);
	});

	test("a tool error that the agent got over is no failure (STATUS-02)", async () => {
		const host = await world.session();
		const { isError, text } = await askOne(
			host,
			delegate(
				`RECOVERS ${script({ tools: [bash("exit 3")] }, { tools: [READ] }, { text: "done" })}`,
			),
		);
		expect(isError).toBe(false);
		expect(text).toMatch(/: completed \(3 turns, 2 tool uses, .*\n\ndone$/);
	});

	test("an error without a message and a stream without an end are failures with a reason (STATUS-03)", async () => {
		const host = await world.session();
		const [mute, dropped] = await ask(
			host,
			delegate(`MUTE ${script({ error: { status: 422, body: "" } })}`),
			delegate(`DROPPED ${script({ drop: true }, { drop: true }, { drop: true })}`),
		);
		expect(mute?.isError).toBe(true);
		expect(mute?.text).toMatch(/: the model provider failed: \S/);
		expect(dropped?.isError).toBe(true);
		expect(dropped?.text).toMatch(/: the model provider failed: \S/);
	});

	test("cached tokens are not counted once per turn, and a resume adds to what was used (ACCOUNT-02)", async () => {
		const host = await world.session();
		const usage = { p: 50_010, cached: 50_000, c: 5 };
		const turn = { tools: [READ], usage };
		const used = await askOne(host, delegate(`CACHED ${script(turn, turn, { text: "x", usage })}`));
		// Three turns of 10 new tokens in and 5 out each; the cost has the cached ones, too.
		expect(used.text).toContain("(3 turns, 2 tool uses, 45 tokens, $0.0151, ");
		const more = await askOne(
			host,
			delegate(`more ${script({ text: "y", usage })}`, { resume: agentId(used.text) }),
		);
		expect(more.text).toContain("(4 turns, 2 tool uses, 60 tokens, $0.0201, ");
	});
}
