import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { HostLine, RpcTestHost } from "@pi-subagents/test-helpers";
import { afterAll, expect, test } from "vitest";
import {
	type ChildWorld,
	delegate,
	onBothHosts,
	requestsOf,
	script,
	toolResults,
} from "./child-host.js";
import { askOne } from "./tool-answers.js";

const packages = await mkdtemp(join(tmpdir(), "pi-subagents-packages-"));
afterAll(() => rm(packages, { recursive: true }));
const PACKAGE_FILES = {
	"listed/package.json": JSON.stringify({
		name: "listed",
		pi: { agents: ["./helpers"], prompts: ["./prompts"] },
	}),
	"listed/helpers/a.md": "---\nname: from-list\ndescription: d\ntools: read\n---\n",
	"listed/agents/b.md": "---\nname: not-listed\ndescription: d\n---\n",
	"listed/helpers/scout.md": "---\nname: scout\ndescription: PACKAGE-SCOUT\n---\n",
	"plain/package.json": JSON.stringify({ name: "plain" }),
	"plain/agents/c.md": "---\nname: from-folder\ndescription: d\n---\n",
	"escaping/package.json": JSON.stringify({
		name: "escaping",
		pi: { agents: ["../outside"], prompts: ["./prompts"] },
	}),
	"outside/d.md": "---\nname: outsider\ndescription: d\n---\n",
	"silenced/agents/e.md": "---\nname: silenced\ndescription: d\n---\n",
};
// A folder without anything that pi itself knows is no package for pi.
for (const name of ["listed", "plain", "escaping", "silenced"]) {
	await mkdir(join(packages, name, "prompts"), { recursive: true });
	await writeFile(join(packages, name, "prompts", `${name}.md`), "Hello.");
}
for (const [name, text] of Object.entries(PACKAGE_FILES)) {
	await mkdir(dirname(join(packages, name)), { recursive: true });
	await writeFile(join(packages, name), text);
}

/** Registers a tool that agents may name. */
const TRACKER = `
	export default (pi) => pi.registerTool({
		name: "tracker_items", label: "Items", description: "Items", parameters: { type: "object", properties: {} },
		execute: async () => ({ content: [{ type: "text", text: "none" }], details: {} }),
	});
`;

onBothHosts("agent types", agentTypes, {
	others: { "tracker.ts": TRACKER },
	agentFiles: { scout: "---\nname: scout\ndescription: USER-SCOUT\n---\n" },
	settings: {
		packages: [
			join(packages, "listed"),
			join(packages, "plain"),
			join(packages, "escaping"),
			{ source: join(packages, "silenced"), agents: [] },
		],
	},
});

function agentTypes(world: ChildWorld): void {
	test("of installed packages are there, over the user's; only folders that a package declares or that are inside count", async () => {
		const host = await world.session();
		const text = await advertised(world, host);
		expect(text).toContain("- from-list: d");
		expect(text).toContain("- from-folder: d");
		expect(text).toContain("- scout: PACKAGE-SCOUT");
		expect(text).not.toMatch(/not-listed|outsider|silenced/);
	});

	test("that appear or vanish while a session is open are told before the next answer of the model", async () => {
		const host = await world.session();
		const file = join(host.directories.agentDir, "agents", "late.md");
		expect(await advertised(world, host)).not.toContain("- late: ");
		await writeFile(file, "---\nname: late\ndescription: Came later\n---\nLATE-PROMPT");
		expect(await advertised(world, host)).toContain("- late: Came later");
		await rm(file);
		expect(await advertised(world, host)).not.toContain("- late: ");
	});

	test("a misspelt tool is named with the nearest in the agent's result, also one that is denied (PERM-06)", async () => {
		const host = await world.session();
		await put(host, "typo", "tools: grep, tracker_itms\ndisallowed_tools: tracker_itemz");
		const answer = await askOne(host, delegate("TYPO x", { subagent_type: "typo" }));
		expect(answer).toMatchObject({ isError: false });
		expect(requestsOf(world.server, "TYPO")[0]?.tools).toEqual(["grep"]);
		expect(answer.text).toContain("There is no tool tracker_itms (did you mean tracker_items?).");
		await put(host, "typo", "disallowed_tools: tracker_itemz");
		const denied = await askOne(host, delegate("DENIED x", { subagent_type: "typo" }));
		expect(denied.text).toContain(
			"Disallowed_tools names tracker_itemz, which denies nothing (did you mean tracker_items?).",
		);
	});

	test("a model that is not there is named with who asks for it and what there is, before and at the call (MODEL-01)", async () => {
		const host = await world.session({
			agents: { Plan: { model: "fake/none" }, Explorr: { model: "m1" } },
		});
		const settingsFile = join(host.directories.agentDir, "subagents.json");
		await put(host, "pinned", "model: fake/small");
		const from = host.events.length;
		const pinned = await askOne(host, delegate("PIN x", { subagent_type: "pinned" }));
		const file = join(host.directories.agentDir, "agents", "pinned.md");
		const available = "Available are mock/m1, mock/m2, mock/small, mock/thinker.";
		expect(pinned).toMatchObject({
			isError: true,
			text: expect.stringMatching(
				/^There is no model "fake\/small" with working credentials\.(?: Similar are .*\.)? The definition of pinned in /,
			),
		});
		expect(pinned.text).toContain(`${file} asks for it. ${available}`);
		const plan = await askOne(host, delegate("PLAN x", { subagent_type: "Plan" }));
		expect(plan.text).toContain(`The override of Plan in ${settingsFile} asks for it.`);
		const call = await askOne(host, delegate("CALL x", { subagent_type: "pinned", model: "nope" }));
		expect(call.text).toContain("The call asks for it.");
		expect(requestsOf(world.server, "PIN")).toEqual([]);
		const told = notifications(host.events.slice(from));
		expect(told).toContain(`${file}: the agent pinned can only be started with another model.`);
		expect(told).toContain(available);
		await rm(file);
		expect(notifications(host.events)).toContain(
			`There is an override of the agent "Explorr": no agent has that name. Write "Explore"`,
		);
	});

	test("are switched from the menu wherever they come from, and a new one is written as a whole or not at all (PARSE-07)", async () => {
		const host = await world.session({ maxTurns: 50 });
		await menu(host, ["Agent types", "Explore (builtin)", "Disable"]);
		const settingsFile = join(host.directories.agentDir, "subagents.json");
		const saved = async () => JSON.parse(await readFile(settingsFile, "utf8"));
		expect(await saved()).toEqual({ maxTurns: 50, agents: { Explore: false } });
		const refused = await askOne(host, delegate("OFF x", { subagent_type: "explore" }));
		expect(refused.text).toBe(`The agent "Explore" is disabled by ${settingsFile}.`);
		await menu(host, ["Agent types", "Explore (builtin, disabled)", "Enable"]);
		expect(await saved()).toEqual({ maxTurns: 50, agents: {} });

		const from = host.events.length;
		await menu(host, [
			...["Agent types", "New type", "../escape", "checker: #1", "checker"],
			...['Checks: "things" # all', "raed, grep", "Line one.\n\n---\nLine two."],
			...["Write it", "Tools: raed, grep", "read, grep", "Write it"],
		]);
		expect(notifications(host.events.slice(from))).toMatch(
			/Nothing was written\. .*raed.*\nWritten: .*checker\.md$/,
		);
		const started = await askOne(
			host,
			delegate(`NEW ${script({ text: "x" })}`, { subagent_type: "checker" }),
		);
		expect(started.isError).toBe(false);
		expect(requestsOf(world.server, "NEW")[0]?.tools).toEqual(["read", "grep"]);
		expect(requestsOf(world.server, "NEW")[0]?.system).toContain("Line one.\n\n---\nLine two.");
		expect(await advertised(world, host)).toContain('- checker: Checks: \\"things\\" # all');
	});

	test("in JSON mode, where nobody can be told, the model is told once what is wrong with agent files", async () => {
		const agentFiles = { bad: "---\nname: bad\ntools: {read: true}\n---\n" };
		const host = await world.json({ agentFiles });
		const tools = [delegate("JSON-1 x")];
		const { stderr } = await host.run(`json ${script({ tools }, { tools }, { text: "end" })}`);
		expect(stderr).toBe("");
		const results = toolResults(requestsOf(world.server, "json ").at(-1));
		expect(results[0]).toMatch(/\nNote: \S*bad\.md:3: error: `tools` is no text and no list/);
		expect(results[1]).not.toContain("bad.md");
	});
}

/** What the model is told of types in its next request. */
async function advertised(world: ChildWorld, host: RpcTestHost): Promise<string> {
	await host.prompt("which types are there?");
	return JSON.stringify(world.server.requests.at(-1)?.body.tools);
}

async function put(host: RpcTestHost, name: string, header: string): Promise<void> {
	const file = join(host.directories.agentDir, "agents", `${name}.md`);
	await writeFile(file, `---\nname: ${name}\ndescription: d\n${header}\n---\n`);
}

function notifications(events: readonly HostLine[]): string {
	return events
		.flatMap((event) => (event.method === "notify" ? [String(event.message)] : []))
		.join("\n");
}

/** Opens `/agents` and gives these answers to its dialogs, one after the other; then goes back until it is closed. */
async function menu(host: RpcTestHost, answers: readonly string[]): Promise<void> {
	const left = [...answers];
	const isDialog = ({ method }: HostLine): boolean =>
		["select", "input", "editor", "confirm"].includes(String(method));
	let from = host.events.length;
	let closed = false;
	const done = host.send({ type: "prompt", message: "/agents" }).then(() => {
		closed = true;
	});
	while (!closed) {
		const dialog = await Promise.race([done, host.waitFor(isDialog, from)]);
		if (dialog === undefined) break;
		from = host.events.indexOf(dialog) + 1;
		const answer = left.shift();
		if (Array.isArray(dialog.options) && answer !== undefined) {
			expect(dialog.options).toContain(answer);
		}
		host.respond(dialog, answer === undefined ? { cancelled: true } : { value: answer });
	}
	expect(left).toEqual([]);
}
