import type { ExtensionContext } from "@mariozechner/pi-coding-agent";

/**
 * The options of `createAgentSession` that hand the parent's models, keys and logins to a child. The hosts have none of them
 * in common, so neither host's type of the options fits.
 */
export type InheritedModels = object;

/** The members of the two hosts' model registries that matter here. */
interface EitherRegistry {
	/** 0.73.1 */
	readonly authStorage?: unknown;
	/** 1.x, where its types keep it private. */
	readonly runtime?: unknown;
}

/**
 * 0.73.1 reads `modelRegistry` and `authStorage`, pi 1.x reads `modelRuntime`; each ignores what it does not know. Sharing
 * the runtime makes providers that were registered at run time, keys of the command line and refreshed logins work in the
 * child.
 */
export function inheritModels(ctx: ExtensionContext): InheritedModels {
	const registry: object = ctx.modelRegistry;
	const { authStorage, runtime }: EitherRegistry = registry;
	return {
		modelRegistry: registry,
		...(authStorage === undefined ? {} : { authStorage }),
		...(runtime === undefined ? {} : { modelRuntime: runtime }),
	};
}
