import type { ExtensionContext, Theme } from "@mariozechner/pi-coding-agent";
import { matchesKey, truncateToWidth, wrapTextWithAnsi } from "@mariozechner/pi-tui";
import { hostMode } from "../host/host-mode.js";

/** Lines around the text: its title, the keys, and what the host shows itself. */
const OTHER_LINES = 8;
const KEYS = "↑ ↓ page up, page down, home, end; escape closes";

/** Keys that move, by how many lines. */
const MOVES = {
	up: () => -1,
	down: () => 1,
	pageUp: (page: number) => -page,
	pageDown: (page: number) => page,
	home: () => Number.NEGATIVE_INFINITY,
	end: () => Number.POSITIVE_INFINITY,
} as const;

/** Shows a text from its beginning, to read and not to change; over RPC it is the client that shows it. */
export async function showText(ctx: ExtensionContext, title: string, text: string): Promise<void> {
	if (hostMode(ctx) === "tui") {
		await ctx.ui.custom<void>((tui, theme, _, done) =>
			textView({
				title,
				text,
				theme,
				rows: () => tui.terminal.rows,
				redraw: () => tui.requestRender(),
				close: () => done(),
			}),
		);
	} else await ctx.ui.editor(title, text);
}

/** What a view of a text works with. */
export interface TextViewParts {
	readonly title: string;
	readonly text: string;
	readonly theme: Pick<Theme, "fg">;
	/** The height of the terminal. */
	readonly rows: () => number;
	readonly redraw: () => void;
	readonly close: () => void;
}

/** The component: as much of the text as fits, and keys to move in it. */
export function textView({ title, text, theme, rows, redraw, close }: TextViewParts): {
	render(width: number): string[];
	handleInput(data: string): void;
	invalidate(): void;
} {
	let top = 0;
	let wrapped: { readonly width: number; readonly lines: readonly string[] } | undefined;
	const page = (): number => Math.max(3, rows() - OTHER_LINES);
	const last = (): number => Math.max(0, (wrapped?.lines.length ?? 0) - page());

	return {
		render(width) {
			if (wrapped?.width !== width) {
				const lines = text.split("\n").flatMap((line) => {
					const parts = wrapTextWithAnsi(line.replaceAll("\t", "    "), width);
					return parts.length === 0 ? [""] : parts;
				});
				wrapped = { width, lines };
			}
			top = Math.min(top, last());
			const { lines } = wrapped;
			const shown = lines.slice(top, top + page());
			const place =
				lines.length > page() ? ` ${top + 1}-${top + shown.length} of ${lines.length}` : "";
			return [
				theme.fg("accent", truncateToWidth(`${title}${place}`, width)),
				...shown,
				theme.fg("dim", truncateToWidth(KEYS, width)),
			];
		},
		handleInput(data) {
			if (matchesKey(data, "escape") || matchesKey(data, "enter") || data === "q") {
				close();
				return;
			}
			for (const [key, move] of Object.entries(MOVES)) {
				if (!matchesKey(data, key as keyof typeof MOVES)) continue;
				top = Math.max(0, Math.min(last(), top + move(page())));
				redraw();
			}
		},
		invalidate() {
			wrapped = undefined;
		},
	};
}
