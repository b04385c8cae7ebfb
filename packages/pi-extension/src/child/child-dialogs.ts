import type { ExtensionUIContext } from "@mariozechner/pi-coding-agent";

/**
 * What the extensions of a child see as their UI: dialogs and messages reach the person with the agent's name on them,
 * one dialog at a time over all children; what would draw over the parent's own screen (widgets, status, header, footer,
 * editor, title) does nothing.
 */
export function childDialogs(
	parent: ExtensionUIContext,
	label: string,
	turns: DialogTurns,
): ExtensionUIContext {
	const named = (title: string): string => `[${label}] ${title}`;
	const nothing = (): void => {};
	return {
		select: (title, options, dialog) =>
			turns.take(() => parent.select(named(title), options, dialog)),
		confirm: (title, message, dialog) =>
			turns.take(() => parent.confirm(named(title), message, dialog)),
		input: (title, placeholder, dialog) =>
			turns.take(() => parent.input(named(title), placeholder, dialog)),
		editor: (title, prefill) => turns.take(() => parent.editor(named(title), prefill)),
		custom: (factory, options) => turns.take(() => parent.custom(factory, options)),
		notify: (message, type) => parent.notify(named(message), type),
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
	take<T>(dialog: () => Promise<T>): Promise<T>;
}

/** Turns in the order in which they were asked for. */
export function createDialogTurns(): DialogTurns {
	let last: Promise<unknown> = Promise.resolve();
	return {
		take(dialog) {
			const mine = last.then(dialog);
			last = mine.catch(() => {});
			return mine;
		},
	};
}
