import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ModelRequest } from "@pi-subagents/test-helpers";
import { expect, test } from "vitest";
import { delegate, onBothHosts, requestsOf, script } from "./child-host.js";

const agent = (...lines: readonly string[]): string =>
	["---", "description: d", ...lines, "---", "CANARY-31"].join("\n");
const skill = (name: string): string => `---\nname: ${name}\ndescription: SKILL-${name}\n---\nDo.`;

/** A provider that is there only at run time, and a tool that changes the model. */
const provider = (url: string): string => `
	export default function (pi) {
		pi.registerProvider("late", {
			baseUrl: ${JSON.stringify(url)}, apiKey: "late-key", api: "openai-completions",
			models: [{ id: "org/late:fast", name: "late", reasoning: false, input: ["text"],
				cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, contextWindow: 100000, maxTokens: 4000 }],
		});
		pi.registerTool({
			name: "switch_model", label: "switch", description: "switch",
			parameters: { type: "object", properties: {} },
			execute: async (id, args, signal, onUpdate, ctx) => {
				await pi.setModel(ctx.modelRegistry.find("mock", "m2"));
				pi.setThinkingLevel("off");
				return { content: [{ type: "text", text: "switched" }], details: {} };
			},
		});
	}`;

const MARKS = {
	"AGENTS.md of the agent directory": "MARK-USER",
	"AGENTS.md of the project": "MARK-PROJECT",
	"SYSTEM.md": "MARK-SYSTEM",
	"APPEND_SYSTEM.md": "MARK-APPEND",
	"skill alpha": "SKILL-alpha",
	"skill beta": "SKILL-beta",
	instructions: "CANARY-31",
};

/** How often each source is in the system part of a request. */
function sources(request: ModelRequest | undefined): Readonly<Record<string, number>> {
	const system = request?.system ?? "";
	return Object.fromEntries(
		Object.entries(MARKS).map(([source, mark]) => [source, system.split(mark).length - 1]),
	);
}

onBothHosts("what children are told and made of", (world) => {
	test("prompt, models, thinking and keys are as the table of the documentation says (CONTEXT-01) (CONTEXT-05) (MODEL-01) (MODEL-03) (MODEL-05) (MODEL-07) (MODEL-08)", async () => {
		const host = await world.rpc({
			others: { "provider.ts": provider(world.server.url) },
			args: ["--model", "mock/thinker", "--thinking", "high", "--api-key", "cli-key"],
			agentDirFiles: {
				"AGENTS.md": "MARK-USER",
				"SYSTEM.md": "MARK-SYSTEM",
				"APPEND_SYSTEM.md": "MARK-APPEND",
				"skills/alpha/SKILL.md": skill("alpha"),
				"skills/beta/SKILL.md": skill("beta"),
			},
			projectFiles: { "AGENTS.md": "MARK-PROJECT", "sub/AGENTS.md": "MARK-SUB" },
			agentFiles: {
				append: agent(),
				replace: agent("prompt_mode: replace"),
				skilled: agent("skills: alpha, gamma"),
				plain: agent("skills: none"),
				late: agent("model: late/org/late:fast", "extensions: none"),
				pinned: agent("model: mock/m1"),
				minimal: agent("thinking: minimal"),
			},
		});
		const before = await readFile(join(host.directories.agentDir, "settings.json"), "utf8");
		const spawn = (task: string, subagent_type: string, more: object = {}) =>
			delegate(`${task} `, { subagent_type, ...more });
		const same = Array.from({ length: 5 }, (_, index) => spawn(`SAME-${index}`, "append"));
		await host.prompt(
			`w ${script(
				{
					tools: [
						...same,
						spawn("REPLACE", "replace"),
						spawn("SKILLED", "skilled"),
						spawn("PLAIN", "plain"),
						spawn("LATE", "late"),
						spawn("PINNED", "pinned"),
						spawn("MINIMAL", "minimal"),
						spawn("CALL", "append", { thinking: "low" }),
						spawn("SUB", "append", { cwd: "sub" }),
						delegate(`SWITCH ${script({ tools: [{ name: "switch_model" }] }, { text: "ok" })}`, {
							subagent_type: "append",
						}),
					],
				},
				{ text: "end" },
			)}`,
		);
		const request = (task: string): ModelRequest | undefined => requestsOf(world.server, task)[0];

		const all = Object.fromEntries(Object.keys(MARKS).map((source) => [source, 1]));
		expect(sources(request("SAME-0"))).toEqual(all);
		expect(sources(request("REPLACE"))).toEqual({ ...all, "SYSTEM.md": 0, "APPEND_SYSTEM.md": 0 });
		expect(sources(request("SKILLED"))).toEqual({ ...all, "skill beta": 0 });
		expect(sources(request("PLAIN"))).toEqual({ ...all, "skill alpha": 0, "skill beta": 0 });
		expect(request("SUB")?.system).toContain("MARK-SUB");
		expect(request("SUB")?.system).toContain(join(host.directories.project, "sub"));
		expect(request("SAME-0")?.system).not.toContain("MARK-SUB");

		// The provider's cache is hit: the same bytes up to the task.
		const prefixes = [0, 1, 2, 3, 4].map((index) => {
			const { system, body } = request(`SAME-${index}`) ?? {};
			return JSON.stringify([system, body?.tools]);
		});
		expect(new Set(prefixes).size).toBe(1);
		expect(prefixes[0]).not.toContain("SAME");

		// A provider of an extension, with its key, also without extensions.
		const effort = (task: string): unknown => request(task)?.body.reasoning_effort;
		expect(request("LATE")).toMatchObject({
			model: "org/late:fast",
			headers: { authorization: "Bearer late-key" },
		});
		expect(request("SAME-0")).toMatchObject({
			model: "thinker",
			headers: { authorization: "Bearer cli-key" },
		});
		expect(effort("SAME-0")).toBe("high");
		expect(effort("MINIMAL")).toBe("minimal");
		expect(effort("CALL")).toBe("low");
		expect(request("PINNED")?.model).toBe("m1");
		expect(requestsOf(world.server, "SWITCH").map(({ model }) => model)).toContain("thinker");
		expect(await readFile(join(host.directories.agentDir, "settings.json"), "utf8")).toBe(before);

		const results = requestsOf(world.server, "w ").at(-1);
		expect(JSON.stringify(results?.messages)).toContain("Note: There is no skill gamma.");
		await host.dispose();
	});
});
