import { expect, test } from "vitest";
import { textView } from "../src/commands/show-text.js";
import { plainTheme } from "./plain-theme.js";

const DOWN = "\x1b[B";
const UP = "\x1b[A";
const END = "\x1b[F";

test("a text opens at its beginning, moves by keys within its bounds, and closes", () => {
	let closed = 0;
	const view = textView({
		title: "Explore",
		text: Array.from({ length: 30 }, (_, index) => `line ${index + 1}`).join("\n"),
		theme: { fg: (_, text) => text },
		rows: () => 18,
		redraw: () => {},
		close: () => closed++,
	});
	const shown = (): readonly string[] => view.render(40);
	expect(shown().slice(0, 3)).toEqual(["Explore 1-10 of 30", "line 1", "line 2"]);
	view.handleInput(UP);
	expect(shown()[1]).toBe("line 1");
	view.handleInput(DOWN);
	expect(shown()[1]).toBe("line 2");
	view.handleInput(END);
	expect(shown().slice(-2, -1)).toEqual(["line 30"]);
	view.handleInput(DOWN);
	expect(shown()[0]).toBe("Explore 21-30 of 30");
	expect(closed).toBe(0);
	view.handleInput("\x1b");
	expect(closed).toBe(1);
});

test("no line is wider than the terminal", () => {
	const view = textView({
		title: "A title that is longer than the terminal is wide",
		text: `\t${"検索 ".repeat(30)}\n\nend`,
		theme: plainTheme(),
		rows: () => 30,
		redraw: () => {},
		close: () => {},
	});
	for (const line of view.render(20)) {
		// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control sequences.
		const plain = line.replaceAll(/\x1b\[[0-9;]*m/g, "");
		const width = [...plain].reduce((sum, char) => sum + (/[\u3000-\u9fff]/.test(char) ? 2 : 1), 0);
		expect(width).toBeLessThanOrEqual(20);
	}
});
