import type { SessionEntry } from "@mariozechner/pi-coding-agent";
import { describe, expect, test } from "vitest";
import { inheritConversation } from "../src/inherited-context.js";
import type { HostModel } from "../src/parent-snapshot.js";

const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0.5 };
const usage = { input: 9, output: 9, cacheRead: 0, cacheWrite: 0, totalTokens: 18, cost };
const nothing = {
	input: 0,
	output: 0,
	cacheRead: 0,
	cacheWrite: 0,
	totalTokens: 0,
	cost: { ...cost, total: 0 },
};
const image = { type: "image", data: "AA==", mimeType: "image/png" } as const;
const model = (input: Array<"text" | "image">, contextWindow = 100_000): HostModel => ({
	id: "m",
	name: "m",
	api: "openai-completions",
	provider: "p",
	baseUrl: "http://localhost",
	reasoning: false,
	input,
	cost,
	contextWindow,
	maxTokens: 100,
});

type Message = Extract<SessionEntry, { type: "message" }>["message"];
let count = 0;
function entry(message: Message): SessionEntry {
	return { type: "message", id: `e${++count}`, parentId: null, timestamp: "", message };
}
function user(content: Extract<Message, { role: "user" }>["content"]): SessionEntry {
	return entry({ role: "user", content, timestamp: 1 });
}
function assistant(
	content: Extract<Message, { role: "assistant" }>["content"],
	stopReason: "stop" | "toolUse" | "error" = "stop",
): SessionEntry {
	return entry({
		role: "assistant",
		content,
		api: "openai-completions",
		provider: "p",
		model: "m",
		usage,
		stopReason,
		timestamp: 2,
	});
}
function result(toolCallId: string, content: Array<{ type: "text"; text: string } | typeof image>) {
	return entry({
		role: "toolResult",
		toolCallId,
		toolName: "read",
		content,
		isError: false,
		timestamp: 3,
	});
}
const call = (id: string) => ({ type: "toolCall", id, name: "read", arguments: { id } }) as const;
const text = (value: string) => ({ type: "text", text: value }) as const;

const BRANCH: readonly SessionEntry[] = [
	user([text("look, then deploy"), image]),
	assistant(
		[{ type: "thinking", thinking: "hm", thinkingSignature: "sig" }, call("c1")],
		"toolUse",
	),
	result("c1", [text("found"), image]),
	assistant([text("broken")], "error"),
	assistant([text("I start an agent"), call("running"), call("beside")], "toolUse"),
];

describe("a fork", () => {
	test("has paired calls, no thinking, no failed answers, and nothing that was paid already (CONTEXT-08)", () => {
		const { messages, notes } = inheritConversation(BRANCH, {
			how: "fork",
			model: model(["text", "image"]),
		});
		expect(notes).toEqual([]);
		expect(messages).toEqual([
			{ role: "user", content: [text("look, then deploy"), image], timestamp: 1 },
			expect.objectContaining({ role: "assistant", content: [call("c1")], usage: nothing }),
			expect.objectContaining({ role: "toolResult", content: [text("found"), image] }),
			expect.objectContaining({
				role: "assistant",
				content: [text("I start an agent")],
				stopReason: "stop",
			}),
		]);
	});

	test("loses its images for a model that takes none", () => {
		const { messages } = inheritConversation(BRANCH, { how: "fork", model: model(["text"]) });
		expect(JSON.stringify(messages)).not.toContain("image/png");
	});

	test("begins with the summary of what was compacted", () => {
		const kept = user("kept");
		const { messages } = inheritConversation(
			[
				user("long ago"),
				kept,
				{
					type: "compaction",
					id: "k",
					parentId: null,
					timestamp: "",
					summary: "They met.",
					firstKeptEntryId: kept.id,
					tokensBefore: 1,
				},
				user("now"),
			],
			{ how: "fork", model: model(["text"]) },
		);
		expect(messages.map((message) => message.content)).toEqual([
			"The conversation before this point was compacted into a summary:\n\nThey met.",
			"kept",
			"now",
		]);
	});

	test("that would fill the model's window becomes a text, and says so", () => {
		const { messages, notes } = inheritConversation([user("x".repeat(5000))], {
			how: "fork",
			model: model(["text"], 2000),
		});
		expect(notes).toHaveLength(1);
		expect(messages).toHaveLength(1);
		expect(JSON.stringify(messages)).toContain("<background>");
	});
});

describe("a text", () => {
	test("is one labelled message with the last images, without calls that are going on (CONTEXT-02)", () => {
		const { messages } = inheritConversation(BRANCH, {
			how: "text",
			model: model(["text", "image"]),
		});
		expect(messages).toHaveLength(1);
		const [{ content } = { content: [] }] = messages;
		expect(content).toHaveLength(3);
		const shown = JSON.stringify(content);
		expect(shown).toContain("[User]\\nlook, then deploy");
		expect(shown).toContain("I start an agent");
		expect(shown).not.toContain("running");
		expect(shown).not.toContain("hm");
	});

	test("cannot be ended by what was said, is bounded, and says what was cut", () => {
		const long = `${"a".repeat(30_000)}</background>end`;
		const { messages } = inheritConversation([user(long)], { how: "text", model: model(["text"]) });
		const shown = JSON.stringify(messages);
		expect(shown).toContain("Only its last 24000 of 30023 characters.");
		expect(shown.split("</background>")).toHaveLength(2);
	});

	test("is nothing if nothing was said", () => {
		expect(inheritConversation([], { how: "text", model: undefined }).messages).toEqual([]);
	});
});
