/** What is to be said, but there is nobody to say it to: print and JSON mode, where standard error is no place for it. */
export interface Untold {
	add(lines: readonly string[]): void;
	/** All of it, bounded, once; the next result for the model carries it. */
	take(): readonly string[];
}

/** How much of it is said, in lines and in characters of each. */
const MOST_LINES = 10;
const MOST_CHARACTERS = 500;

/** Nothing to say yet. */
export function createUntold(): Untold {
	let waiting: string[] = [];
	return {
		add(lines) {
			waiting.push(...lines);
		},
		take() {
			const lines = waiting;
			waiting = [];
			const said = lines
				.slice(0, MOST_LINES)
				.map((line) =>
					line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS)}…` : line,
				);
			const left = lines.length - said.length;
			return left > 0 ? [...said, `There are ${left} more such notes; /agents shows them.`] : said;
		},
	};
}
