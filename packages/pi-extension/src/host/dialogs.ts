import type { ExtensionContext } from "@mariozechner/pi-coding-agent";
import { hasSettleEvents } from "./host-mode.js";

/**
 * Whether a dialog that opens while another one is open comes back to that one (pi 1.x). 0.73.1 puts the editor in its
 * place, and whoever waits for it waits for ever.
 */
export function dialogsComeBack(ctx: ExtensionContext): boolean {
	return hasSettleEvents(ctx);
}
