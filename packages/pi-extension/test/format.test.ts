import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatCost, formatDuration, formatTokens, oneLine, plural } from "../src/format.js";

test("plural counts", () => {
	expect([0, 1, 2].map((count) => plural(count, "turn"))).toEqual(["0 turns", "1 turn", "2 turns"]);
});

test("tokens are short", () => {
	expect([0, 999, 1000, 33_800, 999_949, 999_950, 1_234_567].map(formatTokens)).toEqual([
		"0",
		"999",
		"1.0k",
		"33.8k",
		"999.9k",
		"1.0M",
		"1.2M",
	]);
});

test("a cost of nothing is not shown as free", () => {
	expect([0, 0.0042, 1.3].map(formatCost)).toEqual(["", "$0.0042", "$1.30"]);
});

test("durations change their unit without a gap", () => {
	expect(
		[-5, 0, 400, 9949, 9950, 42_000, 59_499, 59_500, 185_000, 3_599_999, 3_720_000].map(
			formatDuration,
		),
	).toEqual([
		"0.0s",
		"0.0s",
		"0.4s",
		"9.9s",
		"10s",
		"42s",
		"59s",
		"1m 00s",
		"3m 05s",
		"1h 00m",
		"1h 02m",
	]);
});

describe("oneLine", () => {
	test("takes out what a terminal would obey (UI-05)", () => {
		expect(oneLine("a\u001b]52;c;aGk=\u0007b\r\nc\u009bd", 80)).toBe("a ]52;c;aGk= b c d");
	});

	test("takes out what turns the text around it", () => {
		expect(oneLine("a\u202eb\u2066c\ufeff 👩‍👧", 80)).toBe("abc 👩‍👧");
	});

	test("is one line of at most the length asked for", () => {
		fc.assert(
			fc.property(
				fc.string({ unit: "grapheme" }),
				fc.integer({ min: 1, max: 30 }),
				(text, length) => {
					const line = oneLine(text, length);
					expect([...line].length).toBeLessThanOrEqual(length);
					expect(line).not.toMatch(/\p{Cc}/u);
				},
			),
		);
	});
});
