import type { HostUsage } from "./usage.js";

/**
 * The members of a host's session that the libraries use, by structure: `AgentSession` of
 * `@mariozechner/pi-coding-agent` 0.73.1 and of `@earendil-works/pi-coding-agent` 1.6.0 both fit, which type tests prove.
 *
 * The optional members are feature-tested, never assumed.
 */
export interface SubagentSession extends ObservableSession {
	/**
	 * Sends one user message and resolves when the agent has stopped. A provider failure does not reject: it is an
	 * assistant message with `stopReason: "error"`. `expandPromptTemplates: false` keeps a text that begins with `/`
	 * from being run as a command.
	 */
	prompt(text: string, options?: { expandPromptTemplates?: boolean }): Promise<void>;
	/** Hands a message to the running agent; it is read after the current tool calls. */
	steer(text: string): Promise<unknown>;
	/** Stops the running agent. May never resolve if a tool ignores its signal. */
	abort(): Promise<void>;
	/** Ends the session. A promise is awaited, within a bound. */
	dispose(): void | Promise<void>;
	/** Resolves when nothing is going on any more: no turn, retry or compaction (1.6.0). */
	waitForIdle?(): Promise<void>;
	/** Takes back the messages that the agent has not read, and returns them. */
	clearQueue?(): { readonly steering: readonly string[]; readonly followUp: readonly string[] };
	/** Stops a running compaction; 0.73.1's `abort` does not. */
	abortCompaction?(): void;
	readonly isStreaming?: boolean;
	readonly isCompacting?: boolean;
	readonly isRetrying?: boolean;
	/** The agent inside the session; its events are not delayed by slow extensions (0.73.1). */
	readonly agent?: ObservableSession & {
		waitForIdle(): Promise<void>;
		hasQueuedMessages(): boolean;
	};
	/** The file that the conversation is stored in, if any. */
	readonly sessionFile?: string | undefined;
}

/** Anything that session events can be heard from: a session, or the `Agent` of pi-agent-core itself. */
export interface ObservableSession {
	/**
	 * Calls `listener` for every event until the returned function is called. Both hosts call listeners in a plain loop,
	 * so a listener must not throw.
	 */
	subscribe(listener: (event: HostEvent) => void): () => void;
}

/** Any event of any host; {@link toSessionEvent} picks the ones that we know. */
export interface HostEvent {
	readonly type: string;
}

/** The events that the libraries read, with the members that they read, by `type`. */
export interface SessionEvents {
	agent_start: { readonly type: "agent_start" };
	/** The end of one loop, not of the run: a retry, a compaction or a queued message may start another. */
	agent_end: {
		readonly type: "agent_end";
		/** The new messages. If the loop itself failed, only here is the message that says so. */
		readonly messages?: readonly SessionMessage[];
	};
	turn_start: { readonly type: "turn_start" };
	/** Fires for failed and aborted turns, too. */
	turn_end: {
		readonly type: "turn_end";
		readonly message: SessionMessage;
		readonly toolResults: readonly unknown[];
	};
	message_start: { readonly type: "message_start"; readonly message: SessionMessage };
	message_update: {
		readonly type: "message_update";
		readonly message: SessionMessage;
		readonly assistantMessageEvent: { readonly type: string };
	};
	message_end: { readonly type: "message_end"; readonly message: SessionMessage };
	tool_execution_start: {
		readonly type: "tool_execution_start";
		readonly toolCallId: string;
		readonly toolName: string;
		readonly args: unknown;
	};
	tool_execution_update: {
		readonly type: "tool_execution_update";
		readonly toolCallId: string;
		readonly toolName: string;
	};
	tool_execution_end: {
		readonly type: "tool_execution_end";
		readonly toolCallId: string;
		readonly toolName: string;
		readonly isError: boolean;
	};
	compaction_start: { readonly type: "compaction_start"; readonly reason: CompactionReason };
	compaction_end: {
		readonly type: "compaction_end";
		readonly reason: CompactionReason;
		readonly result: { readonly tokensBefore: number } | undefined;
		readonly aborted: boolean;
		readonly willRetry: boolean;
		readonly errorMessage?: string;
	};
	auto_retry_start: {
		readonly type: "auto_retry_start";
		readonly attempt: number;
		readonly maxAttempts: number;
		readonly delayMs: number;
		readonly errorMessage: string;
	};
	auto_retry_end: {
		readonly type: "auto_retry_end";
		readonly success: boolean;
		readonly attempt: number;
		readonly finalError?: string;
	};
	/**
	 * The run waits for something that is neither the model nor a tool: a person's answer, or its turn to ask the provider
	 * again. Sent by sessions that know it; no host does.
	 */
	waiting_start: { readonly type: "waiting_start"; readonly reason: WaitingReason };
	waiting_end: { readonly type: "waiting_end"; readonly reason: WaitingReason };
}

/** What a run waits for. */
export type WaitingReason = "person" | "provider";

/** One of the events that the libraries read. */
export type SessionEvent = SessionEvents[keyof SessionEvents];

/** Why a compaction happened. */
export type CompactionReason = "manual" | "threshold" | "overflow";

/** A message of a session: what the hosts' messages have in common. */
export interface SessionMessage {
	/** `user`, `assistant`, `toolResult`, and host-specific ones. */
	readonly role: string;
	/** A string, or parts such as `{ type: "text", text }`. Host-specific messages may have none. */
	readonly content?: unknown;
	/** Of assistant messages: `stop`, `length`, `toolUse`, `error`, `aborted`. Without meaning before `message_end`. */
	readonly stopReason?: string;
	readonly errorMessage?: string | undefined;
	readonly usage?: HostUsage;
}

const KNOWN: ReadonlySet<string> = new Set<keyof SessionEvents>([
	"agent_start",
	"agent_end",
	"turn_start",
	"turn_end",
	"message_start",
	"message_update",
	"message_end",
	"tool_execution_start",
	"tool_execution_update",
	"tool_execution_end",
	"compaction_start",
	"compaction_end",
	"auto_retry_start",
	"auto_retry_end",
	"waiting_start",
	"waiting_end",
]);

/** The event, if it is one that the libraries know; `undefined` for those that only a newer or other host sends. */
export function toSessionEvent(event: HostEvent): SessionEvent | undefined {
	return KNOWN.has(event.type) ? (event as SessionEvent) : undefined;
}

/**
 * The text of a message: all its text parts in order, without thinking and tool calls; empty parts are skipped, the
 * others are joined by a blank line.
 */
export function messageText(message: SessionMessage | undefined): string {
	const content = message?.content;
	if (typeof content === "string") return content.trim();
	if (!Array.isArray(content)) return "";
	return content
		.map((part: unknown) => (isTextPart(part) ? part.text.trim() : ""))
		.filter((text) => text !== "")
		.join("\n\n");
}

function isTextPart(part: unknown): part is { text: string } {
	return (
		typeof part === "object" &&
		part !== null &&
		"type" in part &&
		part.type === "text" &&
		"text" in part &&
		typeof part.text === "string"
	);
}
