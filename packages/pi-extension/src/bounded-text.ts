/** How much of one agent's text the parent gets at once. */
export const MAX_BYTES = 32_768;
/** And in how many lines. */
const MAX_LINES = 1000;

/** A piece of a text. */
export interface BoundedText {
	readonly text: string;
	/** Where it begins and ends, in characters (UTF-16 units, as `String.length` counts). */
	readonly from: number;
	readonly to: number;
	readonly total: number;
}

/** The piece that begins at `from` and fits; cut between characters, never inside one. */
export function boundText(
	text: string,
	from = 0,
	maxBytes: number = MAX_BYTES,
	maxLines: number = MAX_LINES,
): BoundedText {
	const start = Math.min(Math.max(0, from), text.length);
	let bytes = 0;
	let lines = 1;
	let end = start;
	for (const character of text.slice(start)) {
		bytes += Buffer.byteLength(character);
		if (character === "\n") lines++;
		if (bytes > maxBytes || lines > maxLines) break;
		end += character.length;
	}
	return { text: text.slice(start, end), from: start, to: end, total: text.length };
}

/** The piece, and if it is not all, how much it is and the call that gives the rest. */
export function explainBounds(piece: BoundedText, agentId: string): string {
	if (piece.from === 0 && piece.to === piece.total) return piece.text;
	const shown = `[Characters ${piece.from} to ${piece.to} of ${piece.total}.`;
	const rest =
		piece.to < piece.total
			? ` The rest: get_subagent_result({"agent_id":"${agentId}","offset":${piece.to}})]`
			: "]";
	return `${piece.text}\n\n${shown}${rest}`;
}
