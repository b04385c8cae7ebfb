import type { HostUsage } from "@pi-subagents/core";
import { type MockSession, type MockSessionOptions, mockSession } from "@pi-subagents/test-helpers";

/** What the model does in one turn; nothing given is an answer without text. */
export interface Turn {
	readonly text?: string;
	/** The parts of the message, instead of the text. */
	readonly content?: readonly unknown[];
	/** Sent in pieces before the message ends; by default the text, in one piece. */
	readonly streamed?: readonly string[];
	/** Names of the tools that it calls. */
	readonly tools?: readonly string[];
	/** By default `toolUse` or `stop`. */
	readonly stopReason?: string;
	readonly errorMessage?: string;
	readonly usage?: HostUsage;
}

/** Asks the model, the first time with `index` 0. */
export type Model = (request: {
	readonly index: number;
	readonly signal: AbortSignal;
}) => Turn | Promise<Turn>;

/** A mocked session that goes through turns as the hosts do. */
export interface HostLikeSession extends MockSession {
	/** What the model has read from the user, in order. */
	readonly read: readonly string[];
	/** How often the model was asked. */
	readonly asked: number;
}

const ABORTED: Turn = { stopReason: "aborted", errorMessage: "Request was aborted" };

/**
 * A session that asks `model` again as long as it calls tools or a steering message waits. After an abort comes one more
 * message, which says so; what was not read stays in the queue.
 */
export function hostLikeSession(
	model: Model | readonly Turn[],
	options: MockSessionOptions = {},
): HostLikeSession {
	const ask: Model = typeof model === "function" ? model : ({ index }) => model[index] ?? {};
	const read: string[] = [];
	let queue: string[] = [];
	let asked = 0;

	async function play(session: MockSession, prompt: string): Promise<void> {
		session.emit({ type: "agent_start" });
		for (let pending = [prompt], goesOn = true; goesOn; ) {
			session.emit({ type: "turn_start" });
			for (const text of pending) emitUserMessage(session, text);
			read.push(...pending);
			const { signal } = session;
			const turn = signal.aborted ? ABORTED : await ask({ index: asked++, signal });
			const failed = signal.aborted || turn.stopReason === "error";
			emitTurn(session, signal.aborted && turn.stopReason !== "aborted" ? ABORTED : turn);
			if (!failed) pending = queue.splice(0);
			goesOn = !failed && ((turn.tools?.length ?? 0) > 0 || pending.length > 0);
		}
		session.emit({ type: "agent_end" });
	}

	const session = mockSession({
		prompt: play,
		steer: (_, text) => queue.push(text),
		...options,
	});
	session.clearQueue ??= () => {
		const steering = queue;
		queue = [];
		return { steering, followUp: [] };
	};
	return Object.defineProperties(session, {
		read: { get: () => [...read] },
		asked: { get: () => asked },
	}) as HostLikeSession;
}

function emitUserMessage(session: MockSession, text: string): void {
	const message = { role: "user", content: [{ type: "text", text }] };
	session.emit({ type: "message_start", message });
	session.emit({ type: "message_end", message });
}

/** Sends the events of a turn, all at once and without its start. */
export function emitTurn(session: MockSession, turn: Turn): void {
	const { text = "", tools = [], streamed = text === "" ? [] : [text] } = turn;
	session.emit({ type: "message_start", message: { role: "assistant", content: [] } });
	for (const delta of streamed) emitDelta(session, delta);
	const message = {
		role: "assistant",
		content: turn.content ?? [{ type: "text", text }],
		stopReason: turn.stopReason ?? (tools.length > 0 ? "toolUse" : "stop"),
		...(turn.errorMessage !== undefined && { errorMessage: turn.errorMessage }),
		...(turn.usage && { usage: turn.usage }),
	};
	session.emit({ type: "message_end", message });
	const calls = tools.map((toolName, index) => ({ toolCallId: `call-${index}`, toolName }));
	for (const call of calls) session.emit({ type: "tool_execution_start", ...call, args: {} });
	for (const call of calls) session.emit({ type: "tool_execution_end", ...call, isError: false });
	session.emit({ type: "turn_end", message, toolResults: calls });
}

/** Sends a piece of text. */
export function emitDelta(session: MockSession, delta: string): void {
	const assistantMessageEvent = { type: "text_delta", delta };
	const message = { role: "assistant", content: [] };
	session.emit({ type: "message_update", message, assistantMessageEvent });
}
