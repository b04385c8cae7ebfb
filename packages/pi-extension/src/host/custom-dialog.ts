import type { ExtensionUIContext } from "@mariozechner/pi-coding-agent";
import type { Component } from "@mariozechner/pi-tui";

type Custom = ExtensionUIContext["custom"];

/** How it is shown. */
export type CustomOptions = Parameters<Custom>[1];

/** Shows a component of an extension and resolves with its answer; with nothing where none can be shown. */
export type ShowCustom = <T>(
	factory: CustomFactory<T>,
	options: CustomOptions,
) => Promise<T | undefined>;

/** What makes such a component. */
export type CustomFactory<T> = (
	...parts: [...CustomSurroundings, done: (answer: T) => void]
) => CustomComponent | Promise<CustomComponent>;

type CustomSurroundings =
	Parameters<Parameters<Custom>[0]> extends [...infer Surroundings, unknown] ? Surroundings : never;
type CustomComponent = Component & { dispose?(): void };

/**
 * `ctx.ui.custom` of these. The hosts' types promise an answer, but in RPC mode, and without a UI, both hosts resolve with
 * `undefined`; so does a dialog that is cancelled because its agent ended.
 */
export function customDialog(show: ShowCustom): Custom {
	return async <T>(factory: CustomFactory<T>, options?: CustomOptions): Promise<T> =>
		(await show(factory, options)) as T;
}
