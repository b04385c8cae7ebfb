import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { sendError, sendStep } from "./answer.js";
import { createConversations, type Place } from "./conversations.js";
import { createGates } from "./gates.js";
import { historyProblem } from "./history.js";
import type { ModelServer, ModelServerOptions } from "./model-server.js";
import { type ChatBody, type LoggedRequest, logRequest, parseBody } from "./request.js";
import { resolveScript } from "./script.js";
import type { ModelStep, ScriptedStep } from "./step.js";
import { createWaiters } from "./waiters.js";

interface ChosenStep {
	readonly step: ModelStep;
	/** Of a script's step: where it is, which counts if it leaves no assistant message behind. */
	readonly place?: Place;
}

const DEFAULT_ANSWER: ModelStep = { text: "OK." };
const DEFAULT_SUMMARY: ModelStep = { text: "Summary of the conversation." };

/**
 * Starts a server for `POST /v1/chat/completions` (streamed) and `GET /v1/models` on a free port.
 *
 * What it answers is written in the prompt: `@@[ {"text": "look"}, {"text": "done"} ]@@`, a list of steps as JSON, or
 * `@@#name#` for a script that was registered. The last user message with a script counts, and the step is the number of
 * assistant messages since, plus the answers that left none behind: errors, cut connections, and answers that the client
 * did not wait for. So any number of sessions can use one server at the same time.
 */
export async function startModelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
	const scripts = new Map<string, readonly ScriptedStep[]>();
	const conversations = createConversations();
	const waiters = createWaiters();
	const gates = createGates();
	const requests: LoggedRequest[] = [];
	let summary = options.summary;
	let open = 0;
	let peak = 0;

	async function choose(request: LoggedRequest): Promise<ChosenStep> {
		const resolve = async (step: ScriptedStep): Promise<ChosenStep> => ({
			step: typeof step === "function" ? await step(request) : step,
		});
		if (request.kind === "summary") return resolve(summary ?? DEFAULT_SUMMARY);
		const problem = options.strict ? historyProblem(request.messages) : undefined;
		if (problem !== undefined) return { step: badRequest(problem) };
		const place = conversations.place(request);
		if (!place) return resolve(options.defaultAnswer ?? DEFAULT_ANSWER);
		const steps = resolveScript(place.reference, scripts);
		if (typeof steps === "string") return { step: badRequest(steps) };
		const step = steps[place.step];
		if (step === undefined) return resolve(options.defaultAnswer ?? DEFAULT_ANSWER);
		request.step = place.step;
		return { ...(await resolve(step)), place };
	}

	async function answer(
		body: ChatBody,
		http: IncomingMessage,
		response: ServerResponse,
	): Promise<void> {
		let end: () => void = () => undefined;
		const ended = new Promise<void>((resolve) => {
			end = resolve;
		});
		const request = logRequest(requests.length, http.headers, body, ended);
		requests.push(request);
		peak = Math.max(peak, ++open);
		const controller = new AbortController();
		const { signal } = controller;
		response.once("close", () => controller.abort());
		// Who went away while the body was read is not told of again.
		if (response.closed) controller.abort();
		let chosen: ChosenStep | undefined;
		try {
			waiters.tell(request);
			chosen = await choose(request);
			const { step } = chosen;
			if (step.hold !== undefined) await gates.pass(step.hold, signal);
			if (signal.aborted) return;
			request.status = step.error ? (step.error.status ?? 500) : 200;
			await sendStep(response, step, { model: body.model, index: request.index, signal });
		} finally {
			// Before the client can see the end and ask again.
			open--;
			request.open = false;
			request.aborted = signal.aborted;
			const { place, step } = chosen ?? {};
			if (place && (signal.aborted || step?.error || step?.drop)) conversations.lose(place);
			end();
		}
	}

	async function handle(http: IncomingMessage, response: ServerResponse): Promise<void> {
		const path = new URL(http.url ?? "/", "http://localhost").pathname;
		if (http.method === "GET" && path === "/v1/models") {
			response.writeHead(200, { "content-type": "application/json" });
			response.end(JSON.stringify({ object: "list", data: [] }));
			return;
		}
		if (http.method !== "POST" || path !== "/v1/chat/completions") {
			return sendError(response, { status: 404, body: `There is no ${http.method} ${path} here.` });
		}
		const body = parseBody(await readText(http));
		if (typeof body === "string") return sendError(response, badRequest(body).error ?? {});
		await answer(body, http, response);
	}

	const server = createServer((http, response) => {
		handle(http, response).catch((error: unknown) => {
			const message = error instanceof Error ? error.message : String(error);
			if (response.headersSent) response.destroy();
			else sendError(response, { status: 500, body: `The scripted answer failed: ${message}` });
		});
	});
	await new Promise<void>((resolve, reject) => {
		server.once("error", reject);
		server.listen(0, "127.0.0.1", resolve);
	});
	const { port } = server.address() as AddressInfo;

	return {
		url: `http://127.0.0.1:${port}/v1`,
		script(name, steps) {
			scripts.set(name, steps);
		},
		requests,
		get peakConcurrency() {
			return peak;
		},
		async waitForRequest(predicate) {
			return requests.find(predicate) ?? waiters.wait(predicate);
		},
		release: gates.open,
		setSummary(step) {
			summary = step;
		},
		reset() {
			requests.length = 0;
			scripts.clear();
			conversations.reset();
			gates.reset();
			summary = options.summary;
			peak = open;
		},
		async close() {
			if (!server.listening) return;
			const closed = new Promise<void>((resolve) => server.close(() => resolve()));
			server.closeAllConnections();
			waiters.close();
			await closed;
		},
	};
}

function badRequest(message: string): ModelStep {
	return { error: { status: 400, body: { error: { message, type: "invalid_request_error" } } } };
}

async function readText(stream: AsyncIterable<Buffer>): Promise<string> {
	const parts: Buffer[] = [];
	for await (const part of stream) parts.push(part);
	return Buffer.concat(parts).toString("utf8");
}
