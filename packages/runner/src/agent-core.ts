import type { Agent, AgentOptions } from "@mariozechner/pi-agent-core";
import {
	messageText,
	type ObservableSession,
	type SubagentSession,
	toSessionEvent,
} from "@pi-subagents/core";

/**
 * The members of pi-agent-core's `Agent` that a session needs, by structure: the class of `@mariozechner/pi-agent-core`
 * 0.73.1 and that of `@earendil-works/pi-agent-core` 1.6.0 both fit.
 */
export interface AgentLike extends ObservableSession {
	prompt(text: string): Promise<void>;
	steer(message: UserMessage): void;
	abort(): void;
	waitForIdle(): Promise<void>;
	hasQueuedMessages(): boolean;
	clearAllQueues(): void;
}

/** A message of the user, as both versions of pi-ai have it. */
export interface UserMessage {
	role: "user";
	content: Array<{ type: "text"; text: string }>;
	/** Milliseconds since the epoch. */
	timestamp: number;
}

/** A session on an `Agent`. */
export interface AgentCoreSession<A extends AgentLike> extends SubagentSession {
	readonly agent: A;
	clearQueue(): { readonly steering: readonly string[]; readonly followUp: readonly string[] };
}

/**
 * Makes an `Agent` and a session on it, for a program without pi's coding agent: no session file, no compaction, no
 * retries. `AgentClass` is the `Agent` of `@mariozechner/pi-agent-core` unless another one is handed in; rejects if that
 * package is not installed.
 */
export async function createAgentSession(options: AgentOptions): Promise<AgentCoreSession<Agent>>;
export async function createAgentSession<Options, A extends AgentLike>(
	options: Options,
	AgentClass: new (options: Options) => A,
): Promise<AgentCoreSession<A>>;
export async function createAgentSession(
	options: AgentOptions,
	AgentClass?: new (options: AgentOptions) => AgentLike,
): Promise<AgentCoreSession<AgentLike>> {
	const Class = AgentClass ?? (await import("@mariozechner/pi-agent-core")).Agent;
	return agentSession(new Class(options));
}

/** A session on an agent that exists. Disposing it aborts the agent and lets go of it. */
export function agentSession<A extends AgentLike>(agent: A): AgentCoreSession<A> {
	const unread: string[] = [];
	const stopListening = agent.subscribe((event) => {
		const known = toSessionEvent(event);
		if (known?.type !== "message_start" || known.message?.role !== "user") return;
		const index = unread.indexOf(messageText(known.message));
		if (index >= 0) unread.splice(index, 1);
	});
	return {
		agent,
		subscribe: (listener) => agent.subscribe(listener),
		prompt: (text) => agent.prompt(text),
		waitForIdle: () => agent.waitForIdle(),
		async steer(text) {
			unread.push(text.trim());
			agent.steer({
				role: "user",
				content: [{ type: "text", text }],
				timestamp: Date.now(),
			});
		},
		clearQueue() {
			agent.clearAllQueues();
			return { steering: unread.splice(0), followUp: [] };
		},
		async abort() {
			agent.abort();
			await agent.waitForIdle();
		},
		dispose() {
			agent.abort();
			agent.clearAllQueues();
			stopListening();
		},
	};
}
