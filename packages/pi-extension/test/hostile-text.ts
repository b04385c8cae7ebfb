import { visibleWidth } from "@mariozechner/pi-tui";
import fc from "fast-check";
import { expect } from "vitest";

/** What makes terminals and their libraries miscount, or obey. */
const PIECES = [
	"word ",
	"漢字",
	"👩‍👩‍👧‍👦",
	"🇩🇪",
	"☠️",
	"e\u0301\u0302",
	"กำ",
	"ﷺ",
	"\ud83d",
	"\u200d",
	"\u202e",
	"\u001b[31m",
	"\u001b]8;;http://a.b\u0007",
	"\u009b2J",
	"\u001b",
	"\u0007",
	"\t",
	"\r\n",
	"- **bold** `code`\n\n",
];
/** Any of that, and anything else. */
export const anyText: fc.Arbitrary<string> = fc
	.array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: "binary", maxLength: 4 })), {
		maxLength: 30,
	})
	.map((pieces) => pieces.join(""));

/** Nothing too wide, no line break, and no command to the terminal but colours. */
export function expectFits(rendered: readonly string[], width: number): void {
	for (const line of rendered) {
		expect(visibleWidth(line)).toBeLessThanOrEqual(width);
		expect(line.replace(/\p{Cc}\[[\d;]*m/gu, "")).not.toMatch(/\p{Cc}/u);
	}
}
