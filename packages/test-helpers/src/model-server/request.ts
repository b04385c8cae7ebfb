import type { IncomingHttpHeaders } from "node:http";

/** A message in OpenAI's chat format, with the members that are read here. */
export interface ChatMessage {
	readonly role: string;
	readonly content?: unknown;
	readonly tool_calls?: readonly ChatToolCall[];
	readonly tool_call_id?: string;
}

/** A tool call in OpenAI's chat format. */
export interface ChatToolCall {
	readonly id: string;
	readonly function: { readonly name: string; readonly arguments: string };
}

/** The body of a request in OpenAI's chat format, with the members that are read here. */
export interface ChatBody {
	readonly model: string;
	readonly messages: readonly ChatMessage[];
	readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

/** A request that the model server got. Live: the last members change until the answer is over. */
export interface ModelRequest {
	/** Requests are counted in the order in which they came, from 0. */
	readonly index: number;
	readonly model: string;
	readonly messages: readonly ChatMessage[];
	/** The roles of the messages. */
	readonly roles: readonly string[];
	/** The text of the system (or developer) messages. */
	readonly system: string;
	/** The text of the last user message. */
	readonly lastUserText: string;
	/** The names of the tools on offer. */
	readonly tools: readonly string[];
	readonly headers: IncomingHttpHeaders;
	/** The whole body, for what is not listed here. */
	readonly body: Readonly<Record<string, unknown>>;
	/** The id of the session that asks, if the client says it in `x-session-affinity`; see `modelsJson`. */
	readonly session: string | undefined;
	/** `answer`, or `summary` if the host asks for a summary to compact a conversation. */
	readonly kind: "answer" | "summary";
	/** Which step of its script it got: 0 is the first; `undefined` if it got the default answer or a summary. */
	readonly step: number | undefined;
	/** The HTTP status of the answer, once there is one. */
	readonly status: number | undefined;
	/** Whether the answer is still going on. */
	readonly open: boolean;
	/** Whether the client went away before the answer was over. */
	readonly aborted: boolean;
	/** Resolves when the answer is over, however it ends. */
	readonly ended: Promise<void>;
}

/** A request as the server that answers it sees it. */
export type LoggedRequest = { -readonly [K in keyof ModelRequest]: ModelRequest[K] };

/** The entry in the log for a request that just came. */
export function logRequest(
	index: number,
	headers: IncomingHttpHeaders,
	body: ChatBody,
	ended: Promise<void>,
): LoggedRequest {
	const system = body.messages.filter(isSystem).map(textOf).join("\n\n");
	const session = headers["x-session-affinity"];
	return {
		index,
		model: body.model,
		messages: body.messages,
		roles: body.messages.map((message) => message.role),
		system,
		lastUserText: textOf(body.messages.findLast((message) => message.role === "user")),
		tools: (body.tools ?? []).map((tool) => tool.function.name),
		headers,
		body: { ...body },
		session: typeof session === "string" ? session : undefined,
		kind: system.includes("summarization assistant") ? "summary" : "answer",
		step: undefined,
		status: undefined,
		open: true,
		aborted: false,
		ended,
	};
}

/** The text of a message: a string, or its text parts line by line. */
export function textOf(message: ChatMessage | undefined): string {
	const content = message?.content;
	if (typeof content === "string") return content;
	if (!Array.isArray(content)) return "";
	return content
		.map((part: unknown) =>
			typeof part === "object" && part !== null && "text" in part ? String(part.text) : "",
		)
		.join("\n");
}

/** Whether the message is part of the system prompt. */
export function isSystem(message: ChatMessage): boolean {
	return message.role === "system" || message.role === "developer";
}

/** The body, if it is a chat request; otherwise what is wrong with it, in a sentence. */
export function parseBody(text: string): ChatBody | string {
	let body: unknown;
	try {
		body = JSON.parse(text);
	} catch {
		return "The body is not JSON.";
	}
	if (!isChatBody(body)) return "The body has no model and messages.";
	return body;
}

function isChatBody(body: unknown): body is ChatBody {
	return (
		typeof body === "object" &&
		body !== null &&
		"model" in body &&
		typeof body.model === "string" &&
		"messages" in body &&
		Array.isArray(body.messages) &&
		body.messages.every(
			(message: unknown) => typeof message === "object" && message !== null && "role" in message,
		)
	);
}
