import type { ModelRequest } from "./request.js";
import type { ScriptedStep } from "./step.js";

/** How a model server behaves where no script says it. */
export interface ModelServerOptions {
	/**
	 * The answer to a request without a script, or after the end of its script.
	 * @defaultValue `{ text: "OK." }`
	 */
	readonly defaultAnswer?: ScriptedStep;
	/**
	 * The answer to a request for a summary, which is how the hosts compact a conversation.
	 * @defaultValue `{ text: "Summary of the conversation." }`
	 */
	readonly summary?: ScriptedStep;
	/**
	 * Whether to answer 400, as providers do, if a tool call lacks its result directly after it or a result its call.
	 * @defaultValue `false`
	 */
	readonly strict?: boolean;
}

/** A scripted model behind an OpenAI-compatible endpoint on the loopback interface. */
export interface ModelServer {
	/** The base URL, with `/v1`. */
	readonly url: string;
	/** Registers a script, which prompts name as `@@#name#`; it replaces one of the same name. */
	script(name: string, steps: readonly ScriptedStep[]): void;
	/** All chat requests since the start or the last reset, in the order in which they came; live. */
	readonly requests: readonly ModelRequest[];
	/** The most answers that were going on at the same time. */
	readonly peakConcurrency: number;
	/**
	 * The first request that the predicate accepts, also among those that came before. It is called when a request comes,
	 * before the answer is chosen. Rejects when the server is closed.
	 */
	waitForRequest(predicate: (request: ModelRequest) => boolean): Promise<ModelRequest>;
	/** Opens the gate for every answer that holds at it, now or later. */
	release(name: string): void;
	/** From now on, how to answer to a request for a summary. */
	setSummary(step: ScriptedStep): void;
	/** Forgets requests, scripts, errors served, opened gates and the summary. Answers that are going on go on. */
	reset(): void;
	/** Ends all connections, also of answers that hang, and stops listening. */
	close(): Promise<void>;
}
