import type { Theme } from "@mariozechner/pi-coding-agent";
import type { Keybinding, KeyId } from "@mariozechner/pi-tui";

/** What a part of the view draws with. */
export interface PanelTheme {
	readonly theme: Theme;
	/** Whether a key press is one of these: a key, or what the person has bound to an action of the host. */
	readonly is: (data: string, ...keys: readonly (KeyId | Keybinding)[]) => boolean;
}

/** What a part of the view can ask the view for. */
export interface PanelHost {
	/** Asks for one line of text, in the place of the keys. */
	ask(label: string, onText: (text: string) => void, text?: string): void;
	/** Asks whether to do something; `y` does it, any other key does not. */
	confirm(question: string, onYes: () => void): void;
	/** Says what came of something, until the next key press. */
	say(text: string): void;
	redraw(): void;
}

/** One screen of the view. */
export interface Panel {
	/** The lines above the body; none is wider than `width`. */
	title(width: number): readonly string[];
	/** As many lines as there is room for. */
	body(width: number, rows: number): readonly string[];
	/** What the keys do, each in two or three words. */
	keys(): readonly string[];
	/** Something happened that the panel shows. */
	changed?(): void;
	handle(data: string): void;
}
