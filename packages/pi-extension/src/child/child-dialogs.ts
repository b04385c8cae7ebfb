import type { ExtensionUIContext } from "@mariozechner/pi-coding-agent";
import { type Component, truncateToWidth } from "@mariozechner/pi-tui";
import { type CustomFactory, type CustomOptions, customDialog } from "../host/custom-dialog.js";

/**
 * What the extensions of a child see as their UI: dialogs and messages reach the person with the agent's name on them,
 * one dialog at a time over all children; what would draw over the parent's own screen (widgets, status, header, footer,
 * editor, title) does nothing. A dialog is cancelled, as by the person, when `ended` aborts, when its own signal does, and
 * when nobody takes turns any more.
 */
export function childDialogs(
	parent: ExtensionUIContext,
	label: string,
	turns: DialogTurns,
	ended: AbortSignal,
): ExtensionUIContext {
	const named = (title: string): string => `[${label}] ${title}`;
	const nothing = (): void => {};
	const ask = <T>(
		own: AbortSignal | undefined,
		cancelled: T,
		dialog: (signal: AbortSignal) => Promise<T>,
	): Promise<T> => {
		const signal = own ? AbortSignal.any([ended, own]) : ended;
		return turns.take(dialog, cancelled, signal);
	};
	return {
		select: (title, options, dialog) =>
			ask<string | undefined>(dialog?.signal, undefined, (signal) =>
				parent.select(named(title), options, { ...dialog, signal }),
			),
		confirm: (title, message, dialog) =>
			ask(dialog?.signal, false, (signal) =>
				parent.confirm(named(title), message, { ...dialog, signal }),
			),
		input: (title, placeholder, dialog) =>
			ask<string | undefined>(dialog?.signal, undefined, (signal) =>
				parent.input(named(title), placeholder, { ...dialog, signal }),
			),
		editor: (title, prefill) =>
			ask<string | undefined>(undefined, undefined, () => parent.editor(named(title), prefill)),
		custom: customDialog(<T>(factory: CustomFactory<T>, options: CustomOptions) =>
			ask<T | undefined>(undefined, undefined, () =>
				parent.custom<T>(
					async (...parts) => namedComponent(await factory(...parts), `[${label}]`),
					options,
				),
			),
		),
		notify: (message, type) => {
			if (!turns.isClosed) parent.notify(named(message), type);
		},
		onTerminalInput: () => nothing,
		setStatus: nothing,
		setWorkingMessage: nothing,
		setWorkingVisible: nothing,
		setWorkingIndicator: nothing,
		setHiddenThinkingLabel: nothing,
		setWidget: nothing,
		setFooter: nothing,
		setHeader: nothing,
		setTitle: nothing,
		pasteToEditor: nothing,
		setEditorText: nothing,
		getEditorText: () => "",
		addAutocompleteProvider: nothing,
		setEditorComponent: nothing,
		getEditorComponent: () => undefined,
		get theme() {
			return parent.theme;
		},
		getAllThemes: () => parent.getAllThemes(),
		getTheme: (name) => parent.getTheme(name),
		setTheme: () => ({ success: false, error: "A sub-agent does not change the theme." }),
		getToolsExpanded: () => parent.getToolsExpanded(),
		setToolsExpanded: nothing,
	};
}

/** Lets one dialog be open at a time. */
export interface DialogTurns {
	/**
	 * Opens the dialog when it is its turn, and resolves with its answer; at once with `cancelled` when the signal aborts
	 * or nobody takes turns any more, whatever the dialog does then. Rejects with what the dialog rejects with.
	 */
	take<T>(
		dialog: (signal: AbortSignal) => Promise<T>,
		cancelled: T,
		signal?: AbortSignal,
	): Promise<T>;
	/** The session that shows dialogs is gone: those that are open or wait are cancelled, and all that come. */
	close(): void;
	readonly isClosed: boolean;
}

/** Turns in the order in which they were asked for. */
export function createDialogTurns(): DialogTurns {
	const closed = new AbortController();
	let last: Promise<unknown> = Promise.resolve();
	return {
		take<T>(
			dialog: (signal: AbortSignal) => Promise<T>,
			cancelled: T,
			own?: AbortSignal,
		): Promise<T> {
			const signal = own ? AbortSignal.any([closed.signal, own]) : closed.signal;
			const aborted = untilAborted(signal, cancelled);
			const mine = last.then(() =>
				signal.aborted ? cancelled : Promise.race([dialog(signal), aborted.promise]),
			);
			last = mine.catch(() => {});
			return Promise.race([mine, aborted.promise]).finally(aborted.release);
		},
		close: () => closed.abort(),
		get isClosed() {
			return closed.signal.aborted;
		},
	};
}

function untilAborted<T>(
	signal: AbortSignal,
	value: T,
): { readonly promise: Promise<T>; release(): void } {
	let release = (): void => {};
	const promise = new Promise<T>((resolve) => {
		const onAbort = (): void => resolve(value);
		if (signal.aborted) onAbort();
		signal.addEventListener("abort", onAbort, { once: true });
		release = () => signal.removeEventListener("abort", onAbort);
	});
	return { promise, release };
}

/** The component with the agent's name above it. */
function namedComponent<T extends Component>(component: T, name: string): T {
	return new Proxy(component, {
		get(target, key) {
			if (key === "render") {
				return (width: number) => [truncateToWidth(name, width), ...target.render(width)];
			}
			const value: unknown = Reflect.get(target, key, target);
			// Bound, because private members are not there on a proxy.
			return typeof value === "function" ? value.bind(target) : value;
		},
		set: (target, key, value) => Reflect.set(target, key, value, target),
	});
}
