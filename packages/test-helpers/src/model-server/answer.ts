import type { ServerResponse } from "node:http";
import type { ModelStep, ScriptedError, ScriptedUsage } from "./step.js";

/** What an answer needs besides its step. */
export interface AnswerContext {
	readonly model: string;
	/** Unique on the server; ids in the answer are made from it. */
	readonly index: number;
	/** Aborted when the client or the server goes away. */
	readonly signal: AbortSignal;
}

/** Sends a step as a stream of chat completion chunks; returns when all is sent or the signal is aborted. */
export async function sendStep(
	response: ServerResponse,
	step: ModelStep,
	context: AnswerContext,
): Promise<void> {
	if (step.error) return sendError(response, step.error);
	const send = (choice: unknown, usage?: unknown): void => {
		const chunk = {
			id: `chatcmpl-${context.index}`,
			object: "chat.completion.chunk",
			created: 0,
			model: context.model,
			choices: choice === undefined ? [] : [choice],
			...(usage !== undefined && { usage }),
		};
		response.write(`data: ${JSON.stringify(chunk)}\n\n`);
	};
	const sendDelta = (delta: unknown): void => send({ index: 0, delta, finish_reason: null });

	response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
	sendDelta({ role: "assistant", content: "" });
	if (step.think) sendDelta({ reasoning_content: step.think });
	for (const piece of pieces(step.text ?? "", step.slow?.chunks ?? 1)) {
		if (step.slow) await pause(step.slow.ms, context.signal);
		if (context.signal.aborted) return;
		sendDelta({ content: piece });
	}
	if (step.drop) return dropConnection(response);
	if (step.hang) return aborted(context.signal);
	for (const [index, call] of (step.tools ?? []).entries()) {
		const id = call.id ?? `call_${context.index}_${index}`;
		const args = typeof call.args === "string" ? call.args : JSON.stringify(call.args ?? {});
		const opening = { index, id, type: "function", function: { name: call.name, arguments: "" } };
		sendDelta({ tool_calls: [opening] });
		sendDelta({ tool_calls: [{ index, function: { arguments: args } }] });
	}
	const finish = step.finish ?? (step.tools?.length ? "tool_calls" : "stop");
	send({ index: 0, delta: {}, finish_reason: finish });
	send(undefined, usageOf(step.usage ?? {}));
	response.end("data: [DONE]\n\n");
}

/** Sends an HTTP error in OpenAI's form, or with the body that the script says. */
export function sendError(response: ServerResponse, error: ScriptedError): void {
	const status = error.status ?? 500;
	const body = error.body ?? { error: { message: `Scripted error ${status}`, type: "scripted" } };
	const text = typeof body === "string" ? body : JSON.stringify(body);
	response.writeHead(status, {
		"content-type": typeof body === "string" ? "text/plain" : "application/json",
		...error.headers,
	});
	response.end(text);
}

/** Resolves when the signal is aborted. */
function aborted(signal: AbortSignal): Promise<void> {
	if (signal.aborted) return Promise.resolve();
	return new Promise((resolve) =>
		signal.addEventListener("abort", () => resolve(), { once: true }),
	);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
	return new Promise((resolve) => {
		const done = (): void => {
			clearTimeout(timer);
			signal.removeEventListener("abort", done);
			resolve();
		};
		const timer = setTimeout(done, ms);
		signal.addEventListener("abort", done);
		if (signal.aborted) done();
	});
}

/** The pieces go out before the connection ends, so that the client gets them and then the loss. */
function dropConnection(response: ServerResponse): void {
	response.write("", () => response.destroy());
}

function pieces(text: string, count: number): readonly string[] {
	const size = Math.max(1, Math.ceil(text.length / Math.max(1, count)));
	const result: string[] = [];
	for (let at = 0; at < text.length; at += size) result.push(text.slice(at, at + size));
	return result;
}

function usageOf(usage: ScriptedUsage): unknown {
	const prompt = usage.p ?? 100;
	const completion = usage.c ?? 10;
	return {
		prompt_tokens: prompt,
		completion_tokens: completion,
		total_tokens: prompt + completion,
		prompt_tokens_details: {
			cached_tokens: usage.cached ?? 0,
			cache_write_tokens: usage.written ?? 0,
		},
	};
}
