import {
	type AgentSession,
	type CreateAgentSessionOptions,
	createAgentSession,
	type ExtensionUIContext,
} from "@mariozechner/pi-coding-agent";
import type { ThinkingLevel } from "@pi-subagents/core";
import type { HostMode } from "./host-mode.js";
import type { InheritedModels } from "./models.js";

/** What a session is made from, with what the hosts' types do not have in common. */
export interface HostSessionOptions
	extends Omit<
		CreateAgentSessionOptions,
		"thinkingLevel" | "modelRegistry" | "authStorage" | "modelRuntime"
	> {
	readonly models: InheritedModels;
	/** One that the model has; `max` exists only on pi 1.x. */
	readonly thinking: ThinkingLevel | undefined;
}

/** A session of the host. */
export async function createHostSession({
	models,
	thinking,
	...common
}: HostSessionOptions): Promise<AgentSession> {
	const differing: object = { ...models, ...(thinking && { thinkingLevel: thinking }) };
	const { session } = await createAgentSession({ ...common, ...differing });
	return session;
}

/** What the extensions of a session get. */
export interface ExtensionBindings {
	/** pi 1.x tells it to extensions; 0.73.1 ignores it. */
	readonly mode: HostMode;
	readonly ui: ExtensionUIContext | undefined;
	readonly onError: (failure: { readonly extensionPath: string; readonly error: string }) => void;
}

/** Starts the extensions of a session; resolves when their `session_start` is over. */
export function startExtensions(
	session: AgentSession,
	{ mode, ui, onError }: ExtensionBindings,
): Promise<void> {
	const bindings = { mode, onError, ...(ui && { uiContext: ui }) };
	return session.bindExtensions(bindings);
}

/** What waits until nothing goes on in a session any more; `undefined` on 0.73.1, which has to be watched. */
export function idleWait(session: AgentSession): (() => Promise<void>) | undefined {
	const host: object = session;
	const { waitForIdle }: { waitForIdle?(): Promise<void> } = host;
	return waitForIdle?.bind(session);
}
