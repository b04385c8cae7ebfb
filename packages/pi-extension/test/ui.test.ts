import { stripVTControlCharacters } from "node:util";
import type { AgentRecord } from "@pi-subagents/core";
import { type AgentActivity, createActivity } from "@pi-subagents/observers";
import { createTestRecord } from "@pi-subagents/test-helpers";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { agentView } from "../src/agent-view.js";
import { renderNotification } from "../src/delivery/notification.js";
import { failedResult, textResult } from "../src/tools/tool-result.js";
import { renderAgentCall, renderAgentResult } from "../src/ui/cards.js";
import { renderNotificationCard } from "../src/ui/notification-card.js";
import { widgetLines } from "../src/ui/widget.js";
import { anyText, expectFits } from "./hostile-text.js";
import { plainTheme } from "./plain-theme.js";

const theme = plainTheme();
const NOW = 65_000;

function reading(path: string): AgentActivity {
	const activity = createActivity();
	activity.activeTools.set("1", { toolCallId: "1", toolName: "read", args: { path } });
	return activity;
}

/** The widget in a terminal of this size, without colours. */
function widget(
	agents: readonly AgentRecord[],
	columns: number,
	rows = 30,
	mode: "full" | "compact" = "full",
): string[] {
	const activities = { get: () => reading("packages/core/package.json"), subscribe, stop() {} };
	const source = { agents: () => agents, activities, now: () => NOW, mode };
	return widgetLines(source, theme, columns, rows).map(stripVTControlCharacters);
}

function subscribe(): () => void {
	return () => {};
}

function running(description: string, type = "general-purpose"): AgentRecord {
	return createTestRecord({ description, type, status: "running", startedAt: 60_000 });
}

function queued(description: string): AgentRecord {
	return createTestRecord({ description, status: "queued", toolUses: 0, lifetimeUsage: undefined });
}

const failed = createTestRecord({
	description: "Fix the build",
	status: "error",
	outcome: { status: "error", reason: "provider_error", detail: "401 no key" },
	startedAt: 50_000,
	completedAt: 62_000,
	toolUses: 1,
});

describe("the widget", () => {
	test("has what each agent does, and what it used, in columns", () => {
		const agents = [
			failed,
			queued("Write docs"),
			running("Count tests"),
			running("Find it", "Explore"),
		];
		expect(widget(agents, 90)).toEqual([
			"Agents 2 running, 1 queued, 1 failed · /agents",
			" ● Count tests        5.0s  3 tools  1.0k tokens  reading packages/core/package.json",
			" ● Find it (Explore)  5.0s  3 tools  1.0k tokens  reading packages/core/package.json",
			" ○ Write docs                                     queued",
			" ✗ Fix the build       12s   1 tool  1.0k tokens  the model provider failed: 401 no key",
		]);
	});

	test("keeps description, time and activity where room is short", () => {
		const agents = [running("Count tests"), running("Look for unused exports", "Explore")];
		expect(widget(agents, 70)).toEqual([
			"Agents 2 running · /agents",
			" ● Count tests               5.0s  3 tools  reading packages/core/pac…",
			" ● Look for unused exports   5.0s  3 tools  reading packages/core/pac…",
		]);
		expect(widget(agents, 40)).toEqual([
			"Agents 2 running · /agents",
			" ● Count tests         5.0s  reading pa…",
			" ● Look for unused e…  5.0s  reading pa…",
		]);
	});

	test("takes at most a third of the screen and counts the rest", () => {
		const agents = Array.from({ length: 9 }, (_, index) => running(`Task ${index}`));
		const lines = widget(agents, 100, 15);
		expect(lines).toHaveLength(5);
		expect(lines.at(-1)).toBe(" and 6 more");
		expect(widget(agents, 100, 30)).toHaveLength(10);
		expect(widget(agents, 100, 30, "compact")).toEqual(["Agents 9 running · /agents"]);
	});
});

/** A component as lines without colours and without blanks at the end. */
function lines(component: { render(width: number): string[] } | undefined, width = 100): string[] {
	return (component?.render(width) ?? []).map((line) => stripVTControlCharacters(line).trimEnd());
}

const COLLAPSED = { expanded: false, isPartial: false };

describe("the card of a call", () => {
	test("says what is asked of whom", () => {
		const args = { subagent_type: "Explore", description: "List\u001b[31m it", prompt: "p" };
		expect(lines(renderAgentCall("subagent", args, theme))).toEqual([
			"subagent Explore List [31m it",
		]);
		expect(lines(renderAgentCall("result", {}, theme))).toEqual(["result all agents"]);
	});

	test("follows a foreground agent until it has ended", () => {
		const view = agentView(running("Count"), NOW, reading("a.txt"));
		const partial = { expanded: false, isPartial: true };
		expect(lines(renderAgentResult(textResult("x", view), partial, theme))).toEqual([
			"● agent-1 · reading a.txt · 3 tool uses, 1.0k tokens, 5.0s",
		]);
		const ended = agentView(createTestRecord(), NOW);
		expect(lines(renderAgentResult(textResult("All done.", ended), COLLAPSED, theme))).toEqual([
			"✓ agent-1 · completed · 3 tool uses, 1.0k tokens, 1.0s",
		]);
	});

	test("says of a background agent nothing that is soon wrong, because it stays as it is", () => {
		const result = (record: AgentRecord) => textResult("x", agentView(record, NOW));
		expect(lines(renderAgentResult(result(running("Count")), COLLAPSED, theme))).toEqual([
			"▸ agent-1 · in the background",
		]);
		expect(lines(renderAgentResult(result(queued("Count")), COLLAPSED, theme))).toEqual([
			"▸ agent-1 · queued for the background",
		]);
	});

	test("shows the reason of a refusal", () => {
		const result = failedResult("There is no agent type Foo.");
		expect(lines(renderAgentResult(result, COLLAPSED, theme))).toEqual([
			"There is no agent type Foo.",
		]);
	});
});

function notificationCard(records: readonly AgentRecord[], expanded: boolean) {
	const { details, ...message } = renderNotification(records, NOW, () => ({ unreadMessages: [] }));
	return renderNotificationCard(
		{ role: "custom", timestamp: NOW, ...message, details },
		{ expanded },
		theme,
	);
}

describe("the card of a notification", () => {
	test("says how each agent ended, and why one failed", () => {
		expect(lines(notificationCard([createTestRecord(), failed], false))).toEqual([
			" ✓ Test task · completed · 3 tool uses, 1.0k tokens, 1.0s",
			" ✗ Fix the build · the model provider failed: 401 no key · 1 tool use, 1.0k tokens, 12s",
		]);
	});

	test("has the reports when it is expanded", () => {
		expect(lines(notificationCard([createTestRecord()], true))).toContain("   All done.");
	});
});

const anyRecord = fc
	.record({
		status: fc.constantFrom("queued", "running", "completed", "error", "stopped"),
		texts: fc.array(anyText, { minLength: 4, maxLength: 4 }),
		completedAt: fc.integer({ min: 60_000, max: NOW }),
		cost: fc.constantFrom(0, 0.0042, 12_345.678),
		toolUses: fc.constantFrom(0, 1, 12_345),
	})
	.map(({ status, texts: [description = "", type = "", detail = "", result = ""], ...rest }) => {
		const { completedAt, cost, toolUses } = rest;
		const lifetimeUsage = { input: 1234, output: 9, cacheRead: 0, cacheWrite: 0, cost };
		const base = createTestRecord({ description, type, status, lifetimeUsage, toolUses });
		if (!base.isTerminal) return base;
		const reason = base.outcome?.reason ?? "finished";
		const outcome = { status: base.outcome?.status ?? "error", reason, detail };
		return createTestRecord({
			...{ description, type, status, outcome, lifetimeUsage, toolUses, completedAt, result },
			...(status === "error" && { error: detail }),
		});
	});

describe("whatever an agent is called, does and says, at any width (UI-01) (UI-02) (UI-05),", () => {
	const anyWidth = fc.oneof(fc.constantFrom(20, 40, 80, 200), fc.integer({ min: 1, max: 200 }));

	test("the widget fits", () => {
		fc.assert(
			fc.property(
				fc.array(anyRecord, { maxLength: 6 }),
				anyText,
				anyWidth,
				(agents, text, width) => {
					const activity = createActivity();
					activity.responseText = text;
					const activities = { get: () => activity, subscribe, stop() {} };
					const source = {
						agents: () => agents,
						activities,
						now: () => NOW,
						mode: "full",
					} as const;
					expectFits(widgetLines(source, theme, width, 40), width);
				},
			),
		);
	});

	test("the cards fit", () => {
		fc.assert(
			fc.property(anyRecord, anyText, anyWidth, fc.boolean(), (record, text, width, expanded) => {
				const activity = reading(text);
				const result = textResult(text, agentView(record, NOW, activity));
				const args = { subagent_type: record.type, description: text, agent_id: text };
				expectFits(renderAgentCall("subagent", args, theme).render(width), width);
				for (const isPartial of [true, false]) {
					const options = { expanded, isPartial };
					expectFits(renderAgentResult(result, options, theme).render(width), width);
					expectFits(renderAgentResult(failedResult(text), options, theme).render(width), width);
				}
				expectFits(notificationCard([record], expanded)?.render(width) ?? [], width);
			}),
		);
	});
});
