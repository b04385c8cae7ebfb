// Draws what `tmux capture-pane -e` prints as an SVG: text, the colours of SGR sequences, bold, dim, italic, underline.

/** Of one character, in pixels; the usual proportions of a monospaced font. */
const CELL = { width: 8.4, height: 18, size: 14, baseline: 13.5 };
const MARGIN = 14;

const THEMES = {
	dark: { background: "#0d1117", text: "#d0d7de" },
	light: { background: "#ffffff", text: "#1f2328" },
};

/** The 16 colours that a terminal chooses itself, as GitHub's terminals have them. */
const NAMED = {
	dark: "#484f58 #ff7b72 #3fb950 #d29922 #58a6ff #bc8cff #39c5cf #b1bac4 #6e7681 #ffa198 #56d364 #e3b341 #79c0ff #d2a8ff #56d4dd #ffffff",
	light:
		"#24292f #cf222e #116329 #4d2d00 #0969da #8250df #1b7c83 #6e7781 #57606a #a40e26 #1a7f37 #633c01 #218bff #a475f9 #3192aa #8c959f",
};

/**
 * The picture of a screen.
 *
 * @param {string} screen lines with SGR sequences
 * @param {{ columns: number, theme: "dark" | "light", label: string }} options `label` is read to those who cannot see it
 * @returns {string} the SVG
 */
export function ansiToSvg(screen, { columns, theme, label }) {
	const { background, text } = THEMES[theme];
	const lines = screen.replace(/\n+$/, "").split("\n");
	const width = Math.round(columns * CELL.width + 2 * MARGIN);
	const height = Math.round(lines.length * CELL.height + 2 * MARGIN);
	const state = { theme, style: {} };
	const rows = lines.flatMap((line, row) =>
		readLine(line, state).flatMap((run) => drawRun(run, row, THEMES[theme])),
	);
	return `${[
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeXml(label)}">`,
		`<rect width="${width}" height="${height}" rx="8" fill="${background}"/>`,
		`<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${CELL.size}" fill="${text}" xml:space="preserve">`,
		...rows,
		"</g>",
		"</svg>",
	].join("\n")}\n`;
}

/** The runs of one style in a line. The style goes on from line to line. */
function readLine(line, state) {
	const runs = [];
	let column = 0;
	for (const [, sgr, characters] of line.matchAll(/\p{Cc}\[([\d;:]*)m|(\P{Cc}+)/gu)) {
		if (characters === undefined) {
			state.style = applySgr(state.style, sgr, state.theme);
		} else {
			const length = [...characters].length;
			runs.push({ column, length, characters, style: state.style });
			column += length;
		}
	}
	return runs;
}

function drawRun({ column, length, characters, style }, row, theme) {
	const x = round(MARGIN + column * CELL.width);
	const y = MARGIN + row * CELL.height;
	const width = round(length * CELL.width);
	const color = style.inverse ? (style.background ?? theme.background) : style.color;
	const background = style.inverse ? (style.color ?? theme.text) : style.background;
	const drawn = [];
	if (background) {
		drawn.push(
			`<rect x="${x}" y="${y}" width="${width}" height="${CELL.height}" fill="${background}"/>`,
		);
	}
	if (characters.trim() !== "") {
		const attributes = [
			`x="${x}" y="${round(y + CELL.baseline)}" textLength="${width}"`,
			...(color ? [`fill="${color}"`] : []),
			...(style.bold ? ['font-weight="bold"'] : []),
			...(style.italic ? ['font-style="italic"'] : []),
			...(style.dim ? ['opacity="0.6"'] : []),
			...(style.underline ? ['text-decoration="underline"'] : []),
		];
		drawn.push(`<text ${attributes.join(" ")}>${escapeXml(characters)}</text>`);
	}
	return drawn;
}

/** The style after an SGR sequence. */
function applySgr(style, sgr, theme) {
	const codes = sgr.split(/[;:]/).map(Number);
	let next = { ...style };
	while (codes.length > 0) {
		const code = codes.shift();
		if (code === 0) next = {};
		else if (code === 1) next.bold = true;
		else if (code === 2) next.dim = true;
		else if (code === 3) next.italic = true;
		else if (code === 4) next.underline = true;
		else if (code === 7) next.inverse = true;
		else if (code === 22) next = { ...next, bold: false, dim: false };
		else if (code === 23) next.italic = false;
		else if (code === 24) next.underline = false;
		else if (code === 27) next.inverse = false;
		else if (code === 38) next.color = extended(codes, theme);
		else if (code === 48) next.background = extended(codes, theme);
		else if (code === 39) next.color = undefined;
		else if (code === 49) next.background = undefined;
		else if (code >= 30 && code <= 37) next.color = indexed(code - 30, theme);
		else if (code >= 90 && code <= 97) next.color = indexed(code - 82, theme);
		else if (code >= 40 && code <= 47) next.background = indexed(code - 40, theme);
		else if (code >= 100 && code <= 107) next.background = indexed(code - 92, theme);
	}
	return next;
}

/** `5;index` or `2;red;green;blue`; takes what it reads. */
function extended(codes, theme) {
	if (codes.shift() === 5) return indexed(codes.shift(), theme);
	return hex(codes.splice(0, 3));
}

function indexed(index, theme) {
	if (index < 16) return NAMED[theme].split(" ")[index];
	if (index >= 232) return hex([0, 0, 0].map(() => 8 + 10 * (index - 232)));
	const levels = [0, 95, 135, 175, 215, 255];
	const at = index - 16;
	return hex([Math.floor(at / 36), Math.floor(at / 6) % 6, at % 6].map((level) => levels[level]));
}

function hex(channels) {
	return `#${channels.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

function round(value) {
	return Math.round(value * 10) / 10;
}

const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escapeXml(text) {
	return text.replace(/[&<>"]/g, (character) => ENTITIES[character]);
}
