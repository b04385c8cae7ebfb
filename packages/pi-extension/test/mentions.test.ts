import { createTestRecord } from "@pi-subagents/test-helpers";
import { describe, expect, test } from "vitest";
import { mentionNames, readMention } from "../src/mentions.js";
import { createAttention } from "../src/ui/attention.js";
import { mentionCompletion } from "../src/ui/mention-completion.js";

const count = createTestRecord({ id: "a1", description: "Count the tests" });
const twins = ["b1", "b2"].map((id) => createTestRecord({ id, description: "Same" }));
const types = [{ name: "Explore", description: "Looks" }];
const world = { agents: [count, ...twins], types };

describe("a mention", () => {
	test("is the name of an agent or type and a text", () => {
		expect(readMention("@count-the-tests go\non", world)).toEqual({
			kind: "agent",
			record: count,
			text: "go\non",
		});
		expect(readMention("@b2 go", world)).toMatchObject({ kind: "agent", record: { id: "b2" } });
		expect(readMention("@explore look", world)).toEqual({
			kind: "type",
			type: "Explore",
			text: "look",
		});
	});

	test.each(["@same go", "@src/index.ts go", "@a1", "@a1 ", "see @a1 go", "@ a1", "@@a1 go"])(
		"is not %j, which is left to the host",
		(text) => {
			expect(readMention(text, world)).toBeUndefined();
		},
	);

	test("has names that mean one agent each", () => {
		expect(mentionNames(world).map(({ name }) => name)).toEqual([
			"b2",
			"b1",
			"count-the-tests",
			"Explore",
		]);
	});
});

test("completion puts agents before the host's files, and only at the beginning of the prompt", async () => {
	const files = { prefix: "@co", items: [{ value: "@core/", label: "core/" }] };
	const provider = mentionCompletion(() => mentionNames(world))({
		getSuggestions: async () => files,
		applyCompletion: (lines, cursorLine, cursorCol) => ({ lines, cursorLine, cursorCol }),
	});
	const suggest = (line: string) =>
		provider.getSuggestions([line], 0, line.length, { signal: new AbortController().signal });
	expect((await suggest("@co"))?.items.map(({ value }) => value)).toEqual([
		"@count-the-tests",
		"@core/",
	]);
	expect(await suggest("see @co")).toBe(files);
	expect(await suggest("@none")).toBe(files);
});

test("the terminal tells of the end of the last agent as it is set, and the title goes back", () => {
	const did: string[] = [];
	const attention = createAttention({
		ui: { setTitle: (title) => void did.push(title) },
		cwd: "/x/project",
		mode: () => "both",
		ring: () => void did.push("bell"),
	});
	const running = createTestRecord({ status: "running" });
	attention.ended([count, running]);
	expect(did).toEqual([]);
	attention.ended([count]);
	attention.seen();
	attention.seen();
	expect(did).toEqual(["bell", "✓ agents ended - project", "π - project"]);
});
