import { type ModelServer, startModelServer } from "@pi-subagents/test-helpers";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { currentHost, type HostName, releasedHost } from "../dist/index.js";
import { delegate, requestsOf, script } from "./child-host.js";
import { openScreen, type Screen } from "./screen.js";

const BACKGROUND = { run_in_background: true };
const LIST = /→[●○✓✗■]? ?[^\n]*\n[\s\S]*Settings\n/;

describe.each<HostName>(["released", "current"])("screens (%s host)", (name) => {
	let server: ModelServer;
	let screen: Screen;

	beforeAll(async () => {
		const host = name === "released" ? releasedHost() : await currentHost();
		server = await startModelServer({ strict: true });
		server.script("work", [
			{
				tools: [
					delegate(
						`COUNT ${script(
							{
								think: "First I look around.",
								tools: [{ name: "read", args: { path: "notes.txt" } }],
							},
							{ hold: "count", text: "There are **seven** tests." },
							{ text: "The further task is done." },
						)}`,
						{ ...BACKGROUND, description: "Count the tests" },
					),
					delegate(`STAY ${script({ hold: "stay" })}`, {
						...BACKGROUND,
						description: "Stay for long",
					}),
				],
			},
			{ text: "Both are at work." },
		]);
		screen = await openScreen({
			host,
			server,
			extensions: [inject("extension")],
			prompt: "Go @@#work#",
			subagents: { onEnd: "both" },
			projectFiles: { "notes.txt": "one\ntwo\nthree\nfour\nfive\nsix\nseven\n" },
		});
	});
	afterAll(async () => {
		server.release("stay");
		server.release("count");
		await screen?.close();
		await server.close();
	});

	test("above the editor and in the status line are the agents that work", async () => {
		await screen.waitFor(
			/Both are at work/,
			/▸ \S+ · in the background/,
			/Agents 2 running/,
			/ ● Count the tests +\d[^\n]*1 tool /,
			/ ● Stay for long /,
			/2 agents running/,
		);
	});

	test("the shortcut opens the list in the place of widget and editor", async () => {
		screen.press("alt+a");
		const text = await screen.waitFor(
			/Agents 2 running\n→● Stay for long /,
			/Settings\n/,
			/enter opens · \/ filters · m message · x stops · X all · esc closes/,
		);
		expect(text.match(/Stay for long +\d/g)).toHaveLength(1);
		screen.press("/", "count", "enter");
		expect(await screen.waitFor(/filter: count/)).not.toMatch(/Stay for long +\d/);
		screen.press("escape");
		await screen.waitForEnd(/filter:/);
	});

	test("an open agent is watched live: call, result, folded thinking, its message and its answer", async () => {
		screen.press("down", "enter");
		await screen.waitFor(
			/● Count the tests thinking…/,
			/∴ thinking: First I look around\./,
			/→ read path: notes\.txt\n {2}one\n {2}two\n {2}three\n {2}four\n {2}… \d more lines/,
		);
		screen.press("ctrl+o");
		await screen.waitFor(/ {2}seven/);
		screen.press("m", "use the fast way", "enter");
		await screen.waitFor(/has the message/);
		server.release("count");
		// The answer as Markdown, and after it the message, which the agent reads before it ends.
		await screen.waitFor(
			/✓ Count the tests completed/,
			/There are seven tests\.\s+❯ use the fast way\s+The further task is done\./,
		);
		expect(requestsOf(server, "COUNT").at(-1)?.lastUserText).toBe("use the fast way");
	});

	test("an ended agent is read from its file, searched, and given a further task", async () => {
		screen.press("escape");
		await screen.waitFor(LIST);
		screen.press("enter");
		await screen.waitFor(/The further task is done\./);
		screen.press("/", "around", "enter");
		await screen.waitFor(/thinking: First I look around/);
		screen.press("f");
		await screen.waitFor(/\/tasks\//);
		screen.press("m", `AGAIN ${script({ text: "Again." })}`, "enter");
		await screen.waitFor(/✓ Count the tests completed/, /❯ AGAIN/);
	});

	test("only yes stops an agent, and the view closes with the editor as it was (UI-04) (UI-06)", async () => {
		screen.press("escape");
		await screen.waitFor(LIST);
		screen.press("up", "x");
		await screen.waitFor(/Stop Stay for long/);
		screen.press("n");
		await screen.waitForEnd(/Stop Stay for long/);
		await screen.waitFor(/●[^\n]*Stay for long/);
		screen.press("x");
		await screen.waitFor(/Stop Stay for long/);
		screen.press("y");
		await screen.waitFor(/■[^\n]*Stay for long[\s\S]*was stopped; what it had is kept/);
		screen.press("escape");
		await screen.waitFor(/Agents 2 ended · \/agents/);
		expect(screen.bells).toBeGreaterThan(0);
		screen.press("typed again");
		await screen.waitFor(/typed again/);
		screen.press("ctrl+c");
	});

	test("a mention is completed beside files, and starts, steers or resumes; other names stay with the model", async () => {
		await screen.waitForEnd(/typed again/);
		screen.press("@coun");
		await screen.waitFor(/→ count-the-tests +resume general-purpose/);
		screen.press("tab");
		await screen.waitFor(/@count-the-tests/);
		await screen.waitForEnd(/resume general-purpose/);
		screen.press("MENTION it");
		await screen.waitFor(/@count-the-tests +MENTION it/);
		screen.press("enter");
		await screen.waitFor(/general-purpose \S+ goes on/);
		await server.waitForRequest((request) => request.lastUserText === "MENTION it");
		screen.press("@Explore START it");
		await screen.waitFor(/@Explore START it/);
		screen.press("enter");
		await screen.waitFor(/Explore \S+ has started/);
		await server.waitForRequest((request) => request.lastUserText === "START it");
		screen.press("@notes.txt is no agent");
		await screen.waitFor(/@notes\.txt is no agent/);
		screen.press("enter");
		await server.waitForRequest((request) => request.lastUserText === "@notes.txt is no agent");
	});
});
