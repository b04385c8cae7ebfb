import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { boundText, explainBounds } from "../src/bounded-text.js";

describe("boundText", () => {
	test("keeps a text that fits", () => {
		expect(boundText("short")).toEqual({ text: "short", from: 0, to: 5, total: 5 });
	});

	test("cuts by bytes, never inside a character", () => {
		expect(boundText("ab😀cd", 0, 5).text).toBe("ab");
		expect(boundText("ab😀cd", 0, 6).text).toBe("ab😀");
	});

	test("cuts by lines", () => {
		expect(boundText("1\n2\n3\n4", 0, 100, 2).text).toBe("1\n2");
	});

	test("begins where it is told, also beyond the end", () => {
		expect(boundText("abcdef", 4).text).toBe("ef");
		expect(boundText("abcdef", 99)).toEqual({ text: "", from: 6, to: 6, total: 6 });
		expect(boundText("abcdef", -3).text).toBe("abcdef");
	});

	test("pieces read one after the other are the whole text", () => {
		fc.assert(
			fc.property(
				fc.string({ unit: "grapheme" }),
				fc.integer({ min: 4, max: 40 }),
				(text, bytes) => {
					let all = "";
					for (let from = 0; ; ) {
						const piece = boundText(text, from, bytes, 3);
						all += piece.text;
						if (piece.to === piece.total) break;
						expect(piece.to).toBeGreaterThan(from);
						from = piece.to;
					}
					expect(all).toBe(text);
				},
			),
		);
	});
});

describe("explainBounds", () => {
	test("says nothing about a whole text", () => {
		expect(explainBounds(boundText("all of it"), "a1")).toBe("all of it");
	});

	test("says how much is shown and which call gives the rest", () => {
		expect(explainBounds(boundText("abcdef", 0, 4), "a1")).toBe(
			'abcd\n\n[Characters 0 to 4 of 6. The rest: get_subagent_result({"agent_id":"a1","offset":4})]',
		);
	});

	test("says where the last piece began", () => {
		expect(explainBounds(boundText("abcdef", 4), "a1")).toBe("ef\n\n[Characters 4 to 6 of 6.]");
	});
});
