import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { RpcTestHost } from "@pi-subagents/test-helpers";
import { expect, test } from "vitest";
import type { HostName } from "../dist/index.js";
import {
	type ChildWorld,
	delegate,
	onBothHosts,
	requestsOf,
	script,
	toolResults,
} from "./child-host.js";
import { HOOKS } from "./fixtures/faulty.js";
import {
	agentId,
	askOne,
	bash,
	notifications,
	read,
	requestOf,
	sessionFile,
	startedAgents,
	type ToolAnswer,
	toolAnswers,
	wakeUp,
} from "./tool-answers.js";

const READ = { name: "read", args: { path: "a.txt" } };
const MISSING = { name: "read", args: { path: "missing.txt" } };
const PAGE = { text: "so far", tools: [READ] };
const DONE = { text: "well done" };
const failure = (status: number, message: string) => ({
	error: { status, body: { error: { message, type: "x" } } },
});
const BAD = failure(400, "no such thing");
const SLOW_DOWN = failure(429, "slow down");
const BUSY = failure(503, "overloaded");

/** Something that goes wrong in an agent, and what has to be said of it. */
interface Fault {
	readonly name: string;
	readonly steps: readonly object[];
	readonly settings?: Readonly<Record<string, unknown>>;
	readonly isError: boolean;
	/** How it ended, from the status on. */
	readonly says: RegExp;
	readonly text: string;
	/** Attempts that failed are turns, too. */
	readonly turns: number;
	/** Those that used something. */
	readonly answers: number;
	readonly tools: number;
	readonly requests: number;
}

const PARTIAL = "Partial text, not a finished report:\n\nso far";
const FAULTS: readonly Fault[] = [
	{
		name: "a provider that refuses",
		steps: [PAGE, BAD],
		isError: true,
		says: /: the model provider failed: .*no such thing/,
		text: PARTIAL,
		turns: 2,
		answers: 1,
		tools: 1,
		requests: 2,
	},
	{
		name: "a provider that is busy for a while",
		steps: [PAGE, SLOW_DOWN, BUSY, DONE],
		isError: false,
		says: /: completed/,
		text: "well done",
		turns: 4,
		answers: 2,
		tools: 1,
		requests: 4,
	},
	{
		name: "a provider that is busy for ever",
		steps: [PAGE, BUSY, BUSY, BUSY],
		isError: true,
		says: /: the model provider failed: .*overloaded/,
		text: PARTIAL,
		turns: 4,
		answers: 1,
		tools: 1,
		requests: 4,
	},
	{
		name: "a provider that is asked too often, for ever",
		steps: [PAGE, SLOW_DOWN, SLOW_DOWN, SLOW_DOWN],
		settings: { rateLimitSeconds: 0 },
		isError: true,
		says: /: the model provider failed: .*slow down/,
		text: PARTIAL,
		turns: 4,
		answers: 1,
		tools: 1,
		requests: 4,
	},
	{
		name: "streams that break off",
		steps: [PAGE, { drop: true }, { drop: true }, { drop: true }],
		isError: true,
		says: /: the model provider failed: \S/,
		text: PARTIAL,
		turns: 4,
		answers: 1,
		tools: 1,
		requests: 4,
	},
	{
		name: "a stream that hangs",
		steps: [PAGE, { text: "and", hang: true }],
		settings: { agents: { "general-purpose": { max_seconds: 1 } } },
		isError: false,
		says: /: time limit reached, cut off/,
		text: "Partial text, not a finished report:\n\nand",
		turns: 2,
		answers: 1,
		tools: 1,
		requests: 2,
	},
	{
		name: "a tool that throws",
		steps: [{ text: "so far", tools: [MISSING] }, DONE],
		isError: false,
		says: /: completed/,
		text: "well done",
		turns: 2,
		answers: 2,
		tools: 1,
		requests: 2,
	},
	{
		name: "a tool that hangs",
		steps: [{ text: "so far", tools: [bash("sleep 600")] }, DONE],
		settings: { toolSeconds: 0.3 },
		isError: false,
		says: /: a tool ran past its time limit, cut off/,
		text: PARTIAL,
		turns: 2,
		answers: 1,
		tools: 1,
		requests: 1,
	},
];

const AGENTS = { boss: "---\ndescription: Delegates\nsubagents: '*'\n---\nYou lead." };
const FILES = { "a.txt": "hello" };

onBothHosts("faults", faults, {
	agentFiles: AGENTS,
	projectFiles: FILES,
	others: {
		"faulty.ts": await readFile(join(import.meta.dirname, "fixtures", "faulty.ts"), "utf8"),
	},
});

type Start = (
	world: ChildWorld,
	host: RpcTestHost,
	task: string,
) => Promise<{ readonly told: Told; readonly turnsBefore: number }>;

/** The history of a nested agent's parent has no flag for errors. */
type Told = Omit<ToolAnswer, "isError"> & Partial<Pick<ToolAnswer, "isError">>;

/** The ways to start an agent; each returns what the one who started it is told. */
const WAYS: Readonly<Record<string, Start>> = {
	async foreground(_world, host, task) {
		return { told: await askOne(host, delegate(task)), turnsBefore: 0 };
	},
	async background(world, host, task) {
		world.server.script("background", [
			{ tools: [delegate(task, { run_in_background: true })] },
			(request) => ({
				tools: startedAgents(request)
					.slice(-1)
					.map((id) => read(id, { wait: true })),
			}),
			{ text: "end" },
		]);
		const { events } = await host.prompt("@@#background#@@");
		expect(notifications(events)).toEqual([]);
		return { told: onlyAnswer(toolAnswers(events).slice(1)), turnsBefore: 0 };
	},
	async resumed(_world, host, task) {
		const first = await askOne(host, delegate(`first ${script({ text: "an older text" })}`));
		const told = await askOne(host, delegate(task, { resume: agentId(first.text) }));
		expect(agentId(told.text)).toBe(agentId(first.text));
		return { told, turnsBefore: 1 };
	},
	async nested(world, host, task) {
		const boss = `boss of ${script({ tools: [delegate(task)] }, { text: "reported" })}`;
		const outer = await askOne(host, delegate(boss, { subagent_type: "boss" }));
		expect(outer.text).toMatch(/: completed .*(\n.*)*\n\nreported$/);
		const [text = ""] = toolResults(requestsOf(world.server, boss).at(-1));
		return { told: { tool: "subagent", text }, turnsBefore: 0 };
	},
};

function faults(world: ChildWorld, name: HostName): void {
	test.each(FAULTS)(
		"$name: is told as it is however it was started, and nothing is left",
		async (fault) => {
			// With one slot, one that is not given back stops the next agent.
			const host = await world.session({ maxConcurrent: 1, ...fault.settings });
			const task = `${fault.name} ${script(...fault.steps)}`;
			for (const [way, start] of Object.entries(WAYS)) {
				const before = world.server.requests.length;
				const { told, turnsBefore } = await start(world, host, task);
				expect(told.text, way).toMatch(fault.says);
				expect(told.text, way).toContain(` (${used(fault, turnsBefore)}, `);
				expect(told.text, way).toMatch(new RegExp(`\\n\\n${fault.text}$`));
				expect(told.isError ?? fault.isError, way).toBe(fault.isError);
				const asked = world.server.requests.slice(before);
				expect(
					asked.filter(({ open }) => open),
					way,
				).toEqual([]);
				const own = asked.filter(({ lastUserText }) => lastUserText.startsWith(task));
				expect(own, way).toHaveLength(fault.requests);
			}
			await expectWhole(host);
		},
	);

	test("an extension that throws in a hook ends no agent, and is named", async () => {
		const host = await world.session({ maxConcurrent: 1 });
		const file = join(host.directories.project, "throw-in");
		for (const hook of HOOKS) {
			await writeFile(file, hook);
			const task = `THROWS in ${hook} ${script(PAGE, DONE)}`;
			const { isError, text } = await askOne(host, delegate(task));
			expect(isError, hook).toBe(false);
			expect(text, hook).toMatch(/: completed .*\n(.*\n)?\nwell done$/);
			// What throws there blocks the tool, and the agent is told.
			const told = hook === "tool_call" ? toolResults(requestsOf(world.server, task)[1])[0] : text;
			expect(told).toContain(`${hook} is broken`);
		}
		await rm(file);
		await expectWhole(host);
	});

	test("a disk that is full costs no report, and what could not be stored is said", async () => {
		const host = await world.session({ maxConcurrent: 1 });
		const full = join(host.directories.project, "disk-full");
		await writeFile(full, "");
		const told = await askOne(host, delegate(`FULL ${script(PAGE, DONE)}`));
		await rm(full);
		expect(told.text).toContain(
			"The conversation could not be stored, so it is lost when pi ends: ENOSPC",
		);
		// 1.6.0 ends a run whose file cannot be written.
		const end = name === "released" ? /: completed .*\n(.*\n)+well done$/ : /: failed: ENOSPC/;
		expect(told.text).toMatch(end);
		const id = agentId(told.text);
		expect((await askOne(host, delegate("go on", { resume: id }))).isError).toBe(false);
		if (name === "released") {
			const [, , last] = requestsOf(world.server, "FULL");
			expect(last?.roles.slice(-3)).toEqual(["tool", "assistant", "user"]);
		}
		await expectWhole(host);
	});

	test("after kill -9 all agents are interrupted, keep what they had, and go on where they were (RESTART-01)", async () => {
		const host = await world.rpc({
			agentFiles: AGENTS,
			projectFiles: FILES,
			subagents: { maxConcurrent: 3 },
		});
		const first = await askOne(host, delegate(`K-RESUMED ${script({ text: "an older text" })}`));
		const cut = (name: string): string => `${name} ${script(PAGE, { text: "half", hang: true })}`;
		const nested = `K-BOSS ${script({ tools: [delegate(cut("K-NESTED"))] })}`;
		const calls = [
			delegate(cut("K-FG")),
			...[1, 2, 3].map(() => delegate(cut("K-BG"), { run_in_background: true })),
			delegate("K-QUEUED", { run_in_background: true, description: "queued" }),
			delegate(cut("K-AGAIN"), { resume: agentId(first.text) }),
			delegate(nested, { subagent_type: "boss" }),
		];
		await host.send({ type: "prompt", message: script({ tools: calls }) });
		const hanging = await Promise.all([
			requestOf(world, "K-FG", 1),
			requestOf(world, "K-BG", 5),
			requestOf(world, "K-RESUMED", 2),
			requestOf(world, "K-NESTED", 1),
		]);
		await host.kill("SIGKILL");
		await Promise.all(hanging.map(({ ended }) => ended));

		await host.restart(["-c"]);
		const list = await askOne(host, read());
		const lines = list.text.split("\n").filter((line) => /^- [0-9a-f]{8}: /.test(line));
		expect(lines).toHaveLength(8);
		for (const line of lines) expect(line).toContain(": interrupted when the process ended");
		for (const line of lines) {
			const id = /^- (\S+):/.exec(line)?.[1] ?? "";
			const report = await askOne(host, read(id));
			expect(report.text.split("\n\n").slice(1).join("\n\n")).toBe(had(line));
			const resumed = await askOne(host, delegate(`go on ${script(DONE)}`, { resume: id }));
			expect(resumed.text).toMatch(/: completed .*\n(Note: .*\n)?\nwell done$/);
			if (line.includes('"queued"')) continue;
			const last = requestsOf(world.server, "K-").at(-1);
			expect(last?.lastUserText).toMatch(/^go on /);
			expect(last?.roles.slice(-4)).toEqual(["user", "assistant", "tool", "user"]);
		}
		await expectReadable(await sessionFile(host));
	});
}

/** The text of an agent that was interrupted, by its line in the list. */
function had(line: string): string {
	if (line.includes('"queued"')) return "It never started, so there is no report.";
	return line.includes(": boss ") ? "It ended without any text." : PARTIAL;
}

/** What the headline says of it; there may have been an earlier run of one turn. */
function used(fault: Fault, turnsBefore: number): string {
	const turns = fault.turns + turnsBefore;
	const answers = fault.answers + turnsBefore;
	const tokens = `${110 * answers} tokens, $${(0.00012 * answers).toFixed(4)}`;
	return `${turns} turn${turns === 1 ? "" : "s"}, ${fault.tools} tool use, ${tokens}`;
}

/** Nothing runs, the slot is free, and the files of all agents can be read. */
async function expectWhole(host: RpcTestHost): Promise<void> {
	const next = delegate(`next ${script({ text: "works" })}`, { run_in_background: true });
	const from = host.events.length;
	await askOne(host, next);
	expect(await wakeUp(host, from)).toMatch(/: completed .*\n\nworks\n```$/);
	const list = await askOne(host, read());
	expect(list.text).not.toMatch(/: (running|queued)/);
	await expectReadable(await sessionFile(host));
}

/** Every line of the files of a session's agents is one entry. */
async function expectReadable(file: string): Promise<void> {
	const folder = join(dirname(file), basename(file, ".jsonl"), "tasks");
	const names = (await readdir(folder, { recursive: true })).filter((each) =>
		each.endsWith(".jsonl"),
	);
	expect(names.length).toBeGreaterThan(0);
	for (const name of names) {
		const lines = (await readFile(join(folder, name), "utf8")).trim().split("\n");
		expect(lines.map((line) => typeof JSON.parse(line).type)).toEqual(lines.map(() => "string"));
	}
}

function onlyAnswer(answers: readonly ToolAnswer[]): ToolAnswer {
	expect(answers).toHaveLength(1);
	return present(answers[0]);
}

function present<T>(value: T | undefined): T {
	if (value === undefined) throw new Error("It is not there.");
	return value;
}
