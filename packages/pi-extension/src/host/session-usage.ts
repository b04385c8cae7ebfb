import type { ExtensionContext } from "@mariozechner/pi-coding-agent";
import type { Usage } from "@pi-subagents/core";

/** A usage as the hosts write it. */
export interface HostUsageEntry {
	readonly input: number;
	readonly output: number;
	readonly cacheRead: number;
	readonly cacheWrite: number;
	readonly totalTokens: number;
	readonly cost: {
		readonly input: number;
		readonly output: number;
		readonly cacheRead: number;
		readonly cacheWrite: number;
		readonly total: number;
	};
}

/** The usage in the form of the hosts, whose totals read `cost.total`; how the cost came about is not known any more. */
export function toHostUsage({ cost, ...tokens }: Readonly<Usage>): HostUsageEntry {
	const { input, output, cacheRead, cacheWrite } = tokens;
	return {
		...tokens,
		totalTokens: input + output + cacheRead + cacheWrite,
		cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: cost },
	};
}

/** The member of pi 1.x's session manager for usage that belongs to no message. */
interface UsageTaker {
	appendUsage?(kind: string, provider: string, model: string, usage: HostUsageEntry): unknown;
}

function usageTaker(ctx: ExtensionContext): UsageTaker {
	const manager: object = ctx.sessionManager;
	return manager;
}

/** Whether the session counts usage that no tool result carries (pi 1.x). */
export function takesUsage(ctx: ExtensionContext): boolean {
	return usageTaker(ctx).appendUsage !== undefined;
}

/** Adds usage of a model, `provider/id`, to the session's own totals. */
export function addSessionUsage(
	ctx: ExtensionContext,
	model: string,
	usage: Readonly<Usage>,
): void {
	const [provider = "", ...id] = model.split("/");
	usageTaker(ctx).appendUsage?.("subagents", provider, id.join("/"), toHostUsage(usage));
}
