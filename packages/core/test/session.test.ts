import { describe, expect, test } from "vitest";
import { messageText, toSessionEvent } from "../src/index.js";

describe("the text of a message", () => {
	test("is its text parts, joined by blank lines, without thinking and tool calls", () => {
		const content = [
			{ type: "thinking", thinking: "hm" },
			{ type: "text", text: "First.\n" },
			{ type: "text", text: "  " },
			{ type: "toolCall", id: "c1", name: "read", arguments: { text: "no" } },
			{ type: "text", text: "Second." },
		];
		expect(messageText({ role: "assistant", content })).toBe("First.\n\nSecond.");
	});

	test("is the content itself if that is a string", () => {
		expect(messageText({ role: "user", content: " hello\n" })).toBe("hello");
	});

	test.each([
		[undefined],
		[{ role: "custom" }],
		[{ role: "assistant", content: [] }],
		[{ role: "assistant", content: { text: "no list" } }],
		[{ role: "assistant", content: [null, "x", { type: "text" }, { type: "text", text: 1 }] }],
	])("of %j is empty", (message) => {
		expect(messageText(message)).toBe("");
	});
});

describe("an event of a host", () => {
	test("is taken as it is if the libraries know it", () => {
		const event = { type: "agent_end", messages: [] };
		expect(toSessionEvent(event)).toBe(event);
	});

	test("is none of ours if only some host sends it", () => {
		expect(toSessionEvent({ type: "queue_update" })).toBeUndefined();
		expect(toSessionEvent({ type: "toString" })).toBeUndefined();
	});
});
