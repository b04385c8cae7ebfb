/** Colours and shades of a terminal. */
export type Shade = "bold" | "dim" | "red" | "green" | "yellow" | "blue" | "magenta" | "cyan";

/** Puts a text into a shade, or leaves it as it is where there are no colours. */
export type Paint = (shade: Shade, text: string) => string;

const CODES: Readonly<Record<Shade, readonly [on: number, off: number]>> = {
	bold: [1, 22],
	dim: [2, 22],
	red: [31, 39],
	green: [32, 39],
	yellow: [33, 39],
	blue: [34, 39],
	magenta: [35, 39],
	cyan: [36, 39],
};

/** Paints for a terminal, or not at all. */
export function createPaint(hasColors: boolean): Paint {
	if (!hasColors) return (_, text) => text;
	return (shade, text) => {
		const [on, off] = CODES[shade];
		return `\u001b[${on}m${text}\u001b[${off}m`;
	};
}
