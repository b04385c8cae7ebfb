import { dialogsComeBack } from "../host/dialogs.js";
import type { FleetState, Place } from "../ui/fleet/agent-list.js";
import { fleetView } from "../ui/fleet/fleet-view.js";
import type { Menu } from "./command-context.js";

/** Where a person went from the view. */
interface Left {
	readonly place: Place | undefined;
}

/**
 * Shows the view of all agents until the person closes it. They come back to where they were from each place that it leads
 * to. Where the host cannot come back to it, a dialog that opens meanwhile closes it.
 */
export async function fleet(
	{ ctx, context }: Menu,
	visit: (place: Place) => Promise<void>,
): Promise<void> {
	const state: FleetState = { filter: "", chosen: undefined, open: undefined };
	const source = context.fleet(ctx);
	context.hideWidget(true);
	try {
		for (;;) {
			const { place } = await show();
			if (place === undefined) return;
			await visit(place);
		}
	} finally {
		context.hideWidget(false);
	}

	function show(): Promise<Left> {
		return new Promise((resolve, reject) => {
			ctx.ui
				.custom<Left>((tui, theme, keybindings, done) => {
					const view = fleetView({
						source,
						state,
						theme,
						matches: (data, binding) => keybindings.matches(data, binding),
						rows: () => tui.terminal.rows,
						redraw: () => tui.requestRender(),
						leave: (place) => done({ place }),
						lostFocus() {
							if (dialogsComeBack(ctx)) return;
							view.dispose();
							resolve({ place: undefined });
						},
					});
					return view;
				})
				.then(resolve, reject);
		});
	}
}
