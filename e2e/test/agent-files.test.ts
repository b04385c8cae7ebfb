import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type LintedFile, lint } from "@pi-subagents/definitions";
import type { HostLine } from "@pi-subagents/test-helpers";
import { expect, test } from "vitest";
import { projectFolder } from "../src/paths.js";
import { type ChildWorld, delegate, onBothHosts, requestsOf, script } from "./child-host.js";
import { ask } from "./tool-answers.js";

// The files and what is right for each are those of the definitions package, whose own tests hold its command to them;
// this holds the extension to the command.
const FOLDER = join(projectFolder, "packages/definitions/test/fixtures");
const FILES = Object.fromEntries(
	readdirSync(FOLDER)
		.filter((name) => name.endsWith(".md"))
		.map((name) => [name, readFileSync(join(FOLDER, name), "utf8")]),
);
const HOST_TOOLS = ["read", "bash", "edit", "write", "grep", "find", "ls"];

onBothHosts("agent files that people write", agentFiles);

function agentFiles(world: ChildWorld): void {
	test("each file is loaded, with the tools that it names, or the person is told why not", async () => {
		const linted: Record<string, LintedFile> = JSON.parse((await lint(["--json", FOLDER])).output);
		const host = await world.rpc({ agentFiles: FILES });
		const loaded = Object.values(linted).filter(({ outcome }) => outcome.startsWith("load"));
		expect(loaded.length).toBeGreaterThan(10);

		const answers = await ask(
			host,
			...loaded.map(({ name = "" }) =>
				// Their own models are not there.
				delegate(`FILE ${name} ${script({ text: "done" })}`, {
					subagent_type: name,
					model: "mock/m1",
				}),
			),
		);
		for (const [index, file] of loaded.entries()) {
			expect(answers[index]).toMatchObject({ isError: false });
			const [request] = requestsOf(world.server, `FILE ${file.name} `);
			const named = file.tools === "all" ? HOST_TOOLS : (file.tools ?? []);
			const has = (tools: readonly string[] = []): readonly string[] =>
				HOST_TOOLS.filter((tool) => tools.includes(tool));
			expect([file.name, has(request?.tools)]).toEqual([file.name, has(named)]);
			expect(request?.system).toContain(file.body?.trim() ?? "");
		}

		const told = host.events.flatMap(notification).join("\n");
		for (const [name, { messages, outcome }] of Object.entries(linted)) {
			const mustBeTold = outcome === "reject" || outcome === "load_with_warning";
			expect([name, told.includes(name)]).toEqual([name, mustBeTold && messages.length > 0]);
		}
	});

	test("[PERM-07] [SCHEMA-06] a type that is not there, rejected or disabled is refused with a reason", async () => {
		const host = await world.rpc({
			agentFiles: {
				broken: "---\nname: open-end\ntools: read\n\nNever closed.",
				off: "---\nname: off\ndescription: Is off\nenabled: false\n---\nOff.",
				reviewer: "---\nname: reviewer\ndescription: Reviews\ntools: read\n---\nReview.",
			},
		});
		const answers = await ask(
			host,
			...["reviwer", "off", "broken", "REVIEWER"].map((subagent_type) =>
				delegate(`TYPE ${script({ text: "done" })}`, { subagent_type }),
			),
		);
		expect(answers.map(({ isError }) => isError)).toEqual([true, true, true, false]);
		expect(answers[0]?.text).toMatch(/^There is no agent "reviwer"\. Did you mean "reviewer"\?/);
		expect(answers[1]?.text).toMatch(/^The agent "off" is disabled by .*off\.md\.$/);
		expect(answers[2]?.text).toMatch(/broken/);
	});
}

function notification(event: HostLine): readonly string[] {
	const told = event.type === "extension_ui_request" && event.method === "notify";
	return told ? [String(event.message)] : [];
}
