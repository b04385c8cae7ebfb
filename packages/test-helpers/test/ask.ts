import type { ModelServer } from "../src/index.js";

export interface Message {
	readonly role: string;
	readonly content?: unknown;
	readonly tool_calls?: unknown;
	readonly tool_call_id?: string;
}

export interface AskOptions {
	readonly tools?: readonly string[];
	readonly session?: string;
	readonly headers?: Readonly<Record<string, string>>;
	readonly signal?: AbortSignal;
}

export interface Answer {
	readonly status: number;
	readonly text: string;
	readonly tools: readonly { id: string; name: string; args: string }[];
	/** Whether the stream had its end. */
	readonly whole: boolean;
	readonly think?: string;
	readonly pieces?: readonly string[];
	readonly finish?: string;
	readonly usage?: unknown;
	readonly retryAfter?: string;
}

export const user = (content: string): Message => ({ role: "user", content });

/** Asks the server as a client of OpenAI's chat completions does. */
export async function ask(
	server: ModelServer,
	messages: readonly Message[],
	options: AskOptions = {},
): Promise<Answer> {
	const response = await fetch(`${server.url}/chat/completions`, {
		method: "POST",
		headers: {
			"content-type": "application/json",
			...(options.session !== undefined && { "x-session-affinity": options.session }),
			...options.headers,
		},
		body: JSON.stringify({
			model: "m1",
			stream: true,
			messages,
			tools: options.tools?.map((name) => ({ type: "function", function: { name } })),
		}),
		...(options.signal && { signal: options.signal }),
	});
	if (response.status !== 200) {
		const retryAfter = response.headers.get("retry-after");
		return {
			status: response.status,
			text: await response.text(),
			tools: [],
			whole: false,
			...(retryAfter !== null && { retryAfter }),
		};
	}
	return readStream(await textUntilLoss(response));
}

interface Chunk {
	readonly choices: readonly {
		readonly delta: {
			readonly content?: string;
			readonly reasoning_content?: string;
			readonly tool_calls?: readonly {
				readonly index: number;
				readonly id?: string;
				readonly function: { readonly name?: string; readonly arguments: string };
			}[];
		};
		readonly finish_reason: string | null;
	}[];
	readonly usage?: unknown;
}

function readStream(stream: string): Answer {
	const lines = stream.split("\n\n").filter((line) => line !== "");
	const whole = lines.at(-1) === "data: [DONE]";
	const tools: { id: string; name: string; args: string }[] = [];
	const pieces: string[] = [];
	let think = "";
	let finish = "";
	let usage: unknown;
	for (const line of whole ? lines.slice(0, -1) : lines) {
		const chunk: Chunk = JSON.parse(line.slice("data: ".length));
		usage = chunk.usage ?? usage;
		for (const { delta, finish_reason } of chunk.choices) {
			finish = finish_reason ?? finish;
			think += delta.reasoning_content ?? "";
			if (delta.content) pieces.push(delta.content);
			for (const call of delta.tool_calls ?? []) {
				tools[call.index] ??= { id: call.id ?? "", name: call.function.name ?? "", args: "" };
				const tool = tools[call.index];
				if (tool) tool.args += call.function.arguments;
			}
		}
	}
	return { status: 200, think, pieces, text: pieces.join(""), tools, finish, usage, whole };
}

async function textUntilLoss(response: Response): Promise<string> {
	const decoder = new TextDecoder();
	let text = "";
	try {
		for await (const part of response.body ?? []) text += decoder.decode(part, { stream: true });
	} catch {
		// The connection was cut; what came before it is the answer.
	}
	return text;
}
