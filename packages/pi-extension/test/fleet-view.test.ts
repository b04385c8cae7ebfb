import { stripVTControlCharacters } from "node:util";
import type { AgentRecord, SessionMessage } from "@pi-subagents/core";
import { createTestRecord } from "@pi-subagents/test-helpers";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { costTable } from "../src/commands/cost-table.js";
import type { FleetState } from "../src/ui/fleet/agent-list.js";
import type { FleetSource } from "../src/ui/fleet/fleet-source.js";
import { fleetView } from "../src/ui/fleet/fleet-view.js";
import { anyText, expectFits } from "./hostile-text.js";
import { plainTheme } from "./plain-theme.js";

const theme = plainTheme();

/** A view of these agents, all with the same conversation, and what it did. */
function openView(agents: readonly AgentRecord[], messages: readonly SessionMessage[] = []) {
	const did: string[] = [];
	const state: FleetState = { filter: "", chosen: undefined, open: undefined };
	const source: FleetSource = {
		agents: () => agents,
		activity: () => undefined,
		openTranscript: () => ({ messages, live: undefined }),
		storedTranscript: async () => messages,
		now: () => 65_000,
		subscribe: () => () => {},
		async send(record, text) {
			did.push(`send ${record.id} ${text}`);
			return "sent";
		},
		stop(record) {
			did.push(`stop ${record.id}`);
			return "stopped";
		},
		stopAll() {
			did.push("stop all");
			return "all stopped";
		},
		copy: async (text) => void did.push(`copy ${text}`),
	};
	const view = fleetView({
		source,
		state,
		theme,
		matches: (data, binding) => data === binding,
		rows: () => 30,
		redraw: () => {},
		leave: (place) => did.push(`leave ${place}`),
		lostFocus: () => did.push("lost"),
	});
	return {
		did,
		state,
		lines: (width = 80) =>
			view.render(width).map((line) => stripVTControlCharacters(line).trimEnd()),
		render: (width: number) => view.render(width),
		press: (...keys: readonly string[]) => {
			for (const key of keys) view.handleInput?.(key);
		},
	};
}

function running(id: string, more: object = {}): AgentRecord {
	return createTestRecord({ id, status: "running", startedAt: 60_000, description: id, ...more });
}

describe("the list", () => {
	test("has the newest agent first and each below the one that started it (UI-07)", () => {
		const view = openView([
			running("first"),
			running("child", { parentId: "first" }),
			running("grandchild", { parentId: "child" }),
			running("second"),
		]);
		expect(view.lines().slice(1, 6)).toEqual([
			"Agents 4 running",
			expect.stringContaining("→● second"),
			expect.stringContaining(" ● first"),
			expect.stringContaining(" ● └ child"),
			expect.stringContaining(" ●   └ grandchild"),
		]);
	});

	test("of agents that look the same, stops the one that is chosen, and only after yes (UI-06)", () => {
		const name = { description: "The same forty characters for each of them, you see" };
		const view = openView([running("a", name), running("b", name), running("c", name)]);
		view.press("tui.select.down", "x", "n", "x", "y");
		expect(view.did).toEqual(["stop b"]);
	});

	test("stops all, only after yes, and says how many that would be (ABORT-02)", () => {
		const view = openView([running("a"), running("b"), createTestRecord({ id: "c" })]);
		view.press("X");
		expect(view.lines().join("\n")).toContain("Stop 2 agents? y does it");
		view.press("n", "X", "y");
		expect(view.did).toEqual(["stop all"]);
		expect(view.lines().join("\n")).toContain("all stopped");
	});

	test("leads to the other places and back to the editor", () => {
		const view = openView([]);
		expect(view.lines()).toContain(" There are no agents yet.");
		view.press("tui.select.down", "tui.select.confirm", "tui.select.cancel");
		expect(view.did).toEqual(["leave costs", "leave undefined"]);
	});
});

describe("a conversation", () => {
	const messages: readonly SessionMessage[] = [
		{ role: "user", content: "Count them." },
		{
			role: "assistant",
			content: [
				{ type: "thinking", thinking: "First\nsecond" },
				{ type: "toolCall", name: "bash", arguments: { command: "ls\u001b[2J" } },
			],
		},
		{
			role: "toolResult",
			content: [{ type: "text", text: "1\n2\n3\n4\n5\n6\u001b]52;c;aGk=\u0007" }],
		},
		{ role: "assistant", content: [{ type: "text", text: "There are **6**." }] },
	];

	test("is folded until it is unfolded, and has no command for the terminal (UI-05)", () => {
		const view = openView([running("a")], messages);
		view.press("tui.select.confirm");
		expect(view.lines().slice(4, 16)).toEqual([
			"❯ Count them.",
			"",
			"∴ thinking, 2 lines: First second",
			"→ bash command: ls [2J",
			"  1",
			"  2",
			"  3",
			"  4",
			"  … 2 more lines",
			"",
			"There are 6.",
			"",
		]);
		view.press("\u000f", "\u0014");
		expect(view.lines()).toEqual(expect.arrayContaining(["  6]52;c;aGk=", "∴ First", "  second"]));
		expectFits(view.render(80), 80);
	});

	test("sends what is typed, a key press at a time", () => {
		const view = openView([running("a")], messages);
		view.press("tui.select.confirm", "m", "g", "o", "\r");
		expect(view.did).toEqual(["send a go"]);
	});
});

describe("whatever an agent says", () => {
	const anyMessage = fc
		.record({ role: fc.constantFrom("user", "assistant", "toolResult", "other"), text: anyText })
		.map(
			({ role, text }): SessionMessage => ({
				role,
				content: [
					{ type: "thinking", thinking: text },
					{ type: "text", text },
					{ type: "toolCall", name: text, arguments: { path: text } },
				],
			}),
		);

	test("no line of the view is wider than the terminal, and none has a command for it (UI-01) (UI-02)", () => {
		fc.assert(
			fc.property(
				fc.array(anyMessage, { maxLength: 4 }),
				anyText,
				fc.oneof(fc.constantFrom(20, 40, 80, 200), fc.integer({ min: 1, max: 60 })),
				fc.array(
					fc.constantFrom("tui.select.confirm", "\u000f", "\u0014", "m", "x", "/", "y", "f"),
					{ maxLength: 6 },
				),
				(messages, text, width, keys) => {
					const record = running("a", { description: text, type: text, sessionFile: text });
					const view = openView(
						[record, running("b", { parentId: "a", description: text })],
						messages,
					);
					view.press(...keys);
					expectFits(view.render(width), width);
				},
			),
		);
	});
});

test("the cost table has every agent, type and model", () => {
	const usage = { input: 1000, output: 200, cacheRead: 0, cacheWrite: 0, cost: 0.05 };
	const record = running("a1", { description: "Count" });
	const text = costTable({
		total: usage,
		agents: [{ record, model: "p/m1", own: usage, subtree: { ...usage, input: 2000 } }],
		byType: new Map([["Explore", usage]]),
		byModel: new Map([["p/m1", usage]]),
	});
	expect(text.split("\n")).toEqual([
		"All agents: 1.2k tokens, $0.0500",
		"",
		"By type",
		"  Explore    1.2k  $0.0500",
		"",
		"By model",
		"  p/m1    1.2k  $0.0500",
		"",
		"By agent",
		"  a1 Count    1.2k  $0.0500  with those below it 2.2k tokens, $0.0500",
	]);
});
