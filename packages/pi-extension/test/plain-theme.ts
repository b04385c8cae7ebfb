import { initTheme, Theme, type ThemeColor } from "@mariozechner/pi-coding-agent";

/** The colours that this extension uses. */
const COLORS: readonly ThemeColor[] = [
	"accent",
	"border",
	"dim",
	"error",
	"muted",
	"success",
	"toolOutput",
	"toolTitle",
	"warning",
];

/** A theme of the host in which every colour that this extension uses is the same. */
export function plainTheme(): Theme {
	// Markdown takes the colours from the host's own theme.
	initTheme("dark");
	// A colour that is not here throws, which a test shows.
	const colors = Object.fromEntries(COLORS.map((name) => [name, 7])) as Record<ThemeColor, number>;
	return new Theme(colors, {} as ConstructorParameters<typeof Theme>[1], "256color");
}
