import type { ModelRequest } from "./request.js";

/** One answer of the scripted model. All members can go together; an empty step is an empty answer. */
export interface ModelStep {
	readonly text?: string;
	/** Reasoning, sent before the text. */
	readonly think?: string;
	/** Tool calls; `id` defaults to one that is unique on this server. */
	readonly tools?: readonly ScriptedToolCall[];
	/** Sends the text in so many pieces with a pause before each. */
	readonly slow?: { readonly chunks: number; readonly ms: number };
	/** @defaultValue 100 prompt tokens, 10 completion tokens, nothing cached */
	readonly usage?: ScriptedUsage;
	/**
	 * Why the answer ends, for example `length`.
	 * @defaultValue `tool_calls` if there are any, else `stop`
	 */
	readonly finish?: string;
	/** Answers with an HTTP error instead. */
	readonly error?: ScriptedError;
	/** Sends thinking and text, then cuts the connection. */
	readonly drop?: boolean;
	/** Sends thinking and text, then nothing more until the client goes away. */
	readonly hang?: boolean;
	/** Sends nothing until the gate of this name is opened with `server.release(name)`. */
	readonly hold?: string;
}

/** A tool call of the scripted model. */
export interface ScriptedToolCall {
	readonly name: string;
	/** An object, or a string that is sent as it is, valid JSON or not. */
	readonly args?: unknown;
	readonly id?: string;
}

/** Token counts as OpenAI counts them: `p` includes `cached` and `written`. */
export interface ScriptedUsage {
	/** Prompt tokens. */
	readonly p?: number;
	/** Completion tokens. */
	readonly c?: number;
	/** Prompt tokens read from the cache. */
	readonly cached?: number;
	/** Prompt tokens written to the cache; pi 0.73.1 subtracts them from `cached`, so give only one of the two. */
	readonly written?: number;
}

/** An HTTP error. */
export interface ScriptedError {
	/** @defaultValue 500 */
	readonly status?: number;
	/** An object is sent as JSON. Absent: an error in OpenAI's form. */
	readonly body?: unknown;
	/** For example `Retry-After`. */
	readonly headers?: Readonly<Record<string, string>>;
}

/** A step, or what makes one when its request comes; only scripts registered by name can have the latter. */
export type ScriptedStep = ModelStep | ((request: ModelRequest) => ModelStep | Promise<ModelStep>);
