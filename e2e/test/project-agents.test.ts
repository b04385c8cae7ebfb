import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { HostLine, RpcTestHost } from "@pi-subagents/test-helpers";
import { expect, test } from "vitest";
import {
	type ChildWorld,
	delegate,
	onBothHosts,
	requestsOf,
	script,
	toolResults,
} from "./child-host.js";
import { ask } from "./tool-answers.js";

// A fresh clone that wants more than it should have, beside a user's own agent of the same name.
const FILES = {
	".pi/agents/explore.md": "---\nname: Explore\ndescription: d\ntools: bash\n---\nPROJECT-EXPLORE",
	".agents/agents/scout.md": "---\nname: scout\ndescription: d\ntools: bash\n---\nPROJECT-SCOUT",
	".pi/agents/new.md": "---\nname: newcomer\ndescription: d\n---\nPROJECT-NEW",
	".pi/subagents.json": JSON.stringify({ agents: { Plan: { tools: "*" } } }),
};
const USER = { scout: "---\nname: scout\ndescription: d\ntools: read\n---\nUSER-SCOUT" };
const TYPES = ["Explore", "scout", "Plan", "newcomer"];

onBothHosts("agents that a project brings along", projectAgents);

function projectAgents(world: ChildWorld, name: string): void {
	test("do not count before the person agrees, who is asked once, with the files named (PERM-13)", async () => {
		const host = await world.rpc({ projectFiles: FILES, agentFiles: USER });
		const question = await host.waitFor(isQuestion);
		for (const file of Object.keys(FILES)) expect(question.title).toContain(file);
		expect(question.title).toContain("Explore: bash");
		expect(question.title).toContain("newcomer: all tools");

		expect(await tools(host, "BEFORE")).toEqual([
			["read", "grep", "find", "ls"],
			["read"],
			["read", "grep", "find", "ls"],
			expect.stringMatching(
				/^There is no agent "newcomer"\..* \S*new\.md does not count: the user has not agreed/,
			),
		]);
		await answer(host, question, "Use them");
		const after = [["bash"], ["bash"], expect.arrayContaining(["bash", "write"])];
		expect(await tools(host, "AGREED")).toEqual([...after, expect.arrayContaining(["bash"])]);

		await host.send({ type: "new_session" });
		expect(await tools(host, "LATER")).toEqual([...after, expect.arrayContaining(["bash"])]);
		expect(host.events.filter(isQuestion)).toEqual([question]);
	});

	test("are asked about again if they may do something else, not if their text changes (PERM-13)", async () => {
		const host = await world.rpc({ projectFiles: FILES, agentFiles: USER });
		await answer(host, await host.waitFor(isQuestion), "Use them");
		const file = join(host.directories.project, ".agents/agents/scout.md");
		const text = await readFile(file, "utf8");
		await writeFile(file, text.replace("PROJECT-SCOUT", "PROJECT-SCOUT with other words"));
		expect((await tools(host, "WORDS"))[1]).toEqual(["bash"]);
		expect(requestsOf(world.server, "WORDS scout")[0]?.system).toContain("other words");
		expect(host.events.filter(isQuestion)).toHaveLength(1);

		await writeFile(file, text.replace("tools: bash", "tools: bash, write"));
		expect((await tools(host, "RIGHTS"))[1]).toEqual(["read"]);
		const [, again] = host.events.filter(isQuestion);
		expect(again?.title).toContain(".agents/agents/scout.md (scout: bash, write)");
		expect(again?.title).not.toContain("explore.md");
		if (again) await answer(host, again, "Do not use them");
		// Who refuses, refuses the project.
		await host.send({ type: "new_session" });
		const refused = await tools(host, "REFUSED");
		expect(refused.slice(0, 2)).toEqual([["read", "grep", "find", "ls"], ["read"]]);
		expect(host.events.filter(isQuestion)).toHaveLength(2);
	});

	test("do not count in print mode, where nobody can be asked, unless the user's settings say so (PERM-13)", async () => {
		const host = await world.print({ projectFiles: FILES, agentFiles: USER });
		const run = async (prefix: string, args: readonly string[] = []) => {
			const { code, stderr, stdout } = await host.run(
				`${prefix} ${script({ tools: [delegate(`${prefix}-SCOUT x`, { subagent_type: "scout" })] }, { text: "end" })}`,
				args,
			);
			expect({ code, stderr, stdout }).toEqual({ code: 0, stderr: "", stdout: "end\n" });
			return requestsOf(world.server, `${prefix}-SCOUT`)[0]?.tools;
		};
		expect(await run("UNASKED")).toEqual(["read"]);
		const [result] = toolResults(requestsOf(world.server, "UNASKED ").at(-1));
		expect(result).toMatch(
			/\nNote: 4 files of this project not used, because nobody could be asked: \.pi\/subagents\.json .*scout\.md.* set projectAgents to "always"/,
		);
		if (name === "current") expect(await run("APPROVED", ["--approve"])).toEqual(["bash"]);
		await writeFile(
			join(host.directories.agentDir, "subagents.json"),
			JSON.stringify({ projectAgents: "always" }),
		);
		expect(await run("ALWAYS")).toEqual(["bash"]);
	});

	test.runIf(name === "current")(
		"follow the trust of pi where pi decided, and then nobody is asked again (PERM-13)",
		async () => {
			const projectFiles = { ...FILES, ".pi/settings.json": "{}" };
			const untrusted = await world.rpc({ projectFiles, agentFiles: USER });
			expect((await tools(untrusted, "UNTRUSTED"))[1]).toEqual(["read"]);
			const told = untrusted.events.filter((event) => event.method === "notify");
			expect(told.map(({ message }) => message)).toEqual([
				expect.stringMatching(/because pi does not trust the project: .*scout\.md/),
			]);
			const settings = { defaultProjectTrust: "always" };
			const trusted = await world.rpc({ projectFiles, agentFiles: USER, settings });
			expect((await tools(trusted, "TRUSTED"))[1]).toEqual(["bash"]);
			expect([...untrusted.events, ...trusted.events].filter(isQuestion)).toEqual([]);
		},
	);

	/** Starts an agent of each type; the tools that it has, or why it was not started. */
	async function tools(host: RpcTestHost, prefix: string) {
		const answers = await ask(
			host,
			...TYPES.map((type) => delegate(`${prefix} ${type} x`, { subagent_type: type })),
		);
		return TYPES.map((type, index) => {
			const answer = answers[index];
			return answer?.isError === false
				? requestsOf(world.server, `${prefix} ${type} `)[0]?.tools
				: answer?.text;
		});
	}
}

/** Answers, and waits until that is in force. */
async function answer(host: RpcTestHost, question: HostLine, value: string): Promise<void> {
	const from = host.events.length;
	host.respond(question, { value });
	await host.waitFor((event) => event.method === "notify", from);
}

function isQuestion(event: HostLine): boolean {
	return event.type === "extension_ui_request" && event.method === "select";
}
