import type {
	CreateAgentSessionOptions,
	ExtensionContext,
	ModelRegistry,
} from "@mariozechner/pi-coding-agent";

/** The options of `createAgentSession` that hand the parent's models, keys and logins to a child. */
export type InheritedModels = Pick<CreateAgentSessionOptions, "modelRegistry" | "authStorage"> & {
	/** What pi 1.x reads instead. */
	readonly modelRuntime?: unknown;
};

/**
 * 0.73.1 reads `modelRegistry` and `authStorage`, pi 1.x reads `modelRuntime`; each ignores what it does not know. The
 * runtime is a member of 1.x's registry that its types keep private. Sharing it makes providers that were registered at
 * run time, keys of the command line and refreshed logins work in the child.
 */
export function inheritModels(ctx: ExtensionContext): InheritedModels {
	const registry: ModelRegistry & { readonly runtime?: unknown } = ctx.modelRegistry;
	return {
		modelRegistry: registry,
		authStorage: registry.authStorage,
		...(registry.runtime === undefined ? {} : { modelRuntime: registry.runtime }),
	};
}
