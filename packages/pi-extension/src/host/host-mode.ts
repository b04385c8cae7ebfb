import type { ExtensionContext } from "@mariozechner/pi-coding-agent";

/** How pi was started. */
export type HostMode = "tui" | "rpc" | "json" | "print";

/** Members of a context that only pi 1.x has. */
interface CurrentContext {
	readonly mode?: HostMode;
	isProjectTrusted?(): boolean;
}

function currentMembers(ctx: object): CurrentContext {
	return ctx;
}

/** pi 1.x tells its mode; 0.73.1 tells only whether there is a UI, and the command line the rest. */
export function hostMode(
	ctx: ExtensionContext,
	commandLine: readonly string[] = process.argv,
): HostMode {
	const { mode } = currentMembers(ctx);
	if (mode !== undefined) return mode;
	const asked = commandLine[commandLine.indexOf("--mode") + 1];
	if (ctx.hasUI) return asked === "rpc" ? "rpc" : "tui";
	return asked === "json" ? "json" : "print";
}

/** Whether nobody can answer and pi exits when the run is over. */
export function isOneShot(mode: HostMode): boolean {
	return mode === "print" || mode === "json";
}

/** Whether the host settles a run by events of its own (pi 1.x); 0.73.1 has to be watched. */
export function hasSettleEvents(ctx: ExtensionContext): boolean {
	return currentMembers(ctx).mode !== undefined;
}

/** Whether the project may bring agents and settings. 0.73.1 knows no trust: it loads everything of a project. */
export function isProjectTrusted(ctx: ExtensionContext): boolean {
	return currentMembers(ctx).isProjectTrusted?.() ?? true;
}
