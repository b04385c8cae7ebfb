import type { WorkspaceProvider } from "@pi-subagents/core";
import type { WorkspaceProviderOptions } from "./api.js";

/** A provider that asks the one that was registered last for the type of agent, or the standard one. */
export interface WorkspaceSwitch extends WorkspaceProvider {
	/** Returns what takes the provider out again. */
	register(provider: WorkspaceProvider, options: WorkspaceProviderOptions): () => void;
}

/** A switch with no provider but the standard one. */
export function createWorkspaceSwitch(standard: WorkspaceProvider): WorkspaceSwitch {
	const registered = new Set<{
		readonly provider: WorkspaceProvider;
		readonly serves: (type: string) => boolean;
	}>();
	return {
		prepare(request) {
			const found = [...registered].reverse().find(({ serves }) => serves(request.type));
			return (found?.provider ?? standard).prepare(request);
		},
		register(provider, { types }) {
			const names = types && new Set(types.map((name) => name.toLowerCase()));
			const entry = {
				provider,
				serves: (type: string): boolean => names === undefined || names.has(type.toLowerCase()),
			};
			registered.add(entry);
			return () => void registered.delete(entry);
		},
	};
}
