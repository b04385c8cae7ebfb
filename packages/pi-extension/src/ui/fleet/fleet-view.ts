import type { Theme } from "@mariozechner/pi-coding-agent";
import {
	type Component,
	type Focusable,
	Input,
	type Keybinding,
	type KeyId,
	matchesKey,
	truncateToWidth,
} from "@mariozechner/pi-tui";
import { fitted, plain } from "../cards.js";
import { agentList, type FleetState, type Place } from "./agent-list.js";
import type { FleetSource } from "./fleet-source.js";
import type { Panel, PanelHost } from "./panel.js";
import { wrapped } from "./transcript-lines.js";
import { transcriptPanel } from "./transcript-panel.js";

/** What the host gives a view. */
export interface FleetParts {
	readonly source: FleetSource;
	readonly state: FleetState;
	readonly theme: Theme;
	/** The host's key bindings, as the person has set them. */
	readonly matches: (data: string, binding: Keybinding) => boolean;
	/** The height of the terminal. */
	readonly rows: () => number;
	readonly redraw: () => void;
	/** Closes the view; the person goes to a place, or back to the editor. */
	readonly leave: (place: Place | undefined) => void;
	/** Another dialog has taken the keys. */
	readonly lostFocus: () => void;
}

/** Lines of the terminal that are left to the conversation above and what the host shows below. */
const OTHER_LINES = 9;
const LEAST_BODY = 3;

/** The view: the list of all agents, or the conversation of one of them, with a line to write in. */
export function fleetView(parts: FleetParts): Component & Focusable & { dispose(): void } {
	const { source, state, theme, matches, redraw } = parts;
	let asking: { readonly label: string; readonly input: Input } | undefined;
	let question: { readonly text: string; readonly onYes: () => void } | undefined;
	let notice = "";
	let focused = false;
	let open = true;
	/** Once the view is as high as the terminal it stays so: a host leaves blank lines where a view gets lower. */
	let isTall = false;

	const host: PanelHost = {
		ask(label, onText, text = "") {
			const input = new Input();
			input.focused = focused;
			if (text !== "") {
				input.setValue(text);
				// Not every host has a way to set the cursor but its key.
				input.handleInput("\u0005");
			}
			input.onSubmit = (value) => {
				asking = undefined;
				onText(value);
				redraw();
			};
			input.onEscape = () => {
				asking = undefined;
				redraw();
			};
			asking = { label, input };
			redraw();
		},
		confirm(text, onYes) {
			question = { text, onYes };
			redraw();
		},
		say(text) {
			notice = plain(text);
			if (open) redraw();
		},
		redraw,
	};
	const is = (data: string, ...keys: readonly (KeyId | Keybinding)[]): boolean =>
		keys.some((key) => (isBinding(key) ? matches(data, key) : matchesKey(data, key)));

	const list = agentList(
		source,
		state,
		host,
		{ theme, is },
		{
			open(record) {
				state.open = record.id;
				panel = current();
				redraw();
			},
			leaveFor: (place) => parts.leave(place),
			close: () => parts.leave(undefined),
		},
	);
	let panel = current();
	const stop = source.subscribe(redraw);

	function current(): Panel {
		const record = source.agents().find(({ id }) => id === state.open);
		if (record === undefined) return list;
		return transcriptPanel(source, record, host, { theme, is }, () => {
			state.open = undefined;
			panel = list;
			redraw();
		});
	}

	function footer(width: number): readonly string[] {
		if (asking) {
			const label = theme.fg("accent", truncateToWidth(asking.label, width, "…"));
			return [label, ...asking.input.render(width)];
		}
		if (question)
			return wrapped(
				theme.fg("warning", `${question.text} y does it, any other key does not.`),
				width,
			);
		const keys = wrapped(panel.keys().join(" · "), width).map((line) => theme.fg("dim", line));
		return notice === ""
			? keys
			: [...wrapped(notice, width).map((line) => theme.fg("warning", line)), ...keys];
	}

	const drawn: Component = {
		render(width) {
			const border = theme.fg("border", "─".repeat(Math.max(1, width)));
			const title = panel.title(width);
			const below = footer(width);
			const room = Math.max(LEAST_BODY, parts.rows() - OTHER_LINES - title.length - below.length);
			const body = panel.body(width, room);
			isTall ||= panel !== list;
			const blank = isTall ? room - body.length : 0;
			return [border, ...title, ...body, ...Array<string>(blank).fill(""), border, ...below];
		},
		invalidate() {},
	};
	const fit = fitted(drawn);

	return {
		render: (width) => fit.render(width),
		invalidate: () => {},
		handleInput(data) {
			notice = "";
			if (asking) {
				asking.input.handleInput(data);
				redraw();
			} else if (question) {
				const { onYes } = question;
				question = undefined;
				if (is(data, "y", "shift+y")) onYes();
				redraw();
			} else {
				panel.handle(data);
				redraw();
			}
		},
		get focused() {
			return focused;
		},
		set focused(value) {
			if (focused && !value && open) parts.lostFocus();
			focused = value;
			if (asking) asking.input.focused = value;
		},
		dispose() {
			open = false;
			stop();
		},
	};
}

function isBinding(key: KeyId | Keybinding): key is Keybinding {
	return key.startsWith("tui.");
}
