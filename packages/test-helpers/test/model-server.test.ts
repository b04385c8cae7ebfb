import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ModelServer, type ModelServerOptions, startModelServer } from "../src/index.js";
import { ask, type Message, user } from "./ask.js";

let server: ModelServer;
beforeEach(async () => {
	server = await startModelServer();
});
afterEach(() => server.close());

async function restart(options: ModelServerOptions): Promise<void> {
	await server.close();
	server = await startModelServer(options);
}

const assistant = (content: string): Message => ({ role: "assistant", content });

describe("an answer", () => {
	test("is streamed as the script in the prompt says", async () => {
		const answer = await ask(server, [
			user(
				'look @@[{"think":"hm","text":"one two","slow":{"chunks":2,"ms":0},"tools":[{"name":"read","args":{"path":"a"},"id":"c1"}],"usage":{"p":100,"c":7,"cached":40}}]@@',
			),
		]);
		expect(answer).toEqual({
			status: 200,
			think: "hm",
			pieces: ["one ", "two"],
			text: "one two",
			tools: [{ id: "c1", name: "read", args: '{"path":"a"}' }],
			finish: "tool_calls",
			usage: {
				prompt_tokens: 100,
				completion_tokens: 7,
				total_tokens: 107,
				prompt_tokens_details: { cached_tokens: 40, cache_write_tokens: 0 },
			},
			whole: true,
		});
	});

	test("ends for the reason that the script says", async () => {
		const answer = await ask(server, [user('@@[{"text":"cut","finish":"length"}]@@')]);
		expect(answer.finish).toBe("length");
	});

	test("is an HTTP error with body and headers if the script says so", async () => {
		const answer = await ask(server, [
			user(
				'@@[{"error":{"status":429,"body":{"error":{"message":"slow down"}},"headers":{"Retry-After":"7"}}}]@@',
			),
		]);
		expect(answer.status).toBe(429);
		expect(answer.text).toBe('{"error":{"message":"slow down"}}');
		expect(answer.retryAfter).toBe("7");
	});

	test("that is dropped ends after its text without being whole", async () => {
		const answer = await ask(server, [user('@@[{"text":"half","drop":true}]@@')]);
		expect(answer.text).toBe("half");
		expect(answer.whole).toBe(false);
	});

	test("is the default one if there is no script, or none any more", async () => {
		await restart({ defaultAnswer: (request) => ({ text: `You said: ${request.lastUserText}` }) });
		expect((await ask(server, [user("hello")])).text).toBe("You said: hello");
		const over = [user("hi @@[]@@")];
		expect((await ask(server, over)).text).toBe("You said: hi @@[]@@");
	});
});

describe("the script", () => {
	const script = 'go @@[{"text":"zero"},{"text":"one"},{"text":"two"}]@@';

	test("goes on with every assistant message, steered or not", async () => {
		const messages = [user(script), assistant("zero"), user("steered"), assistant("one")];
		expect((await ask(server, messages.slice(0, 1))).text).toBe("zero");
		expect((await ask(server, messages.slice(0, 2))).text).toBe("one");
		expect((await ask(server, messages.slice(0, 3))).text).toBe("one");
		expect((await ask(server, messages)).text).toBe("two");
		expect(server.requests.map((request) => request.step)).toEqual([0, 1, 1, 2]);
	});

	test("in the last user message that has one counts", async () => {
		const later = [user(script), assistant("zero"), user('then @@[{"text":"new"}]@@')];
		expect((await ask(server, later)).text).toBe("new");
	});

	test("in a system prompt, an answer or a tool result is none", async () => {
		const mark = '@@[{"text":"no"}]@@';
		const messages = [
			{ role: "system", content: mark },
			user("plain"),
			{
				...assistant(mark),
				tool_calls: [{ id: "c1", function: { name: "read", arguments: "{}" } }],
			},
			{ role: "tool", tool_call_id: "c1", content: mark },
		];
		expect((await ask(server, messages)).text).toBe("OK.");
	});

	test("is found in text parts, and the last one of a message counts", async () => {
		const content = [
			{ type: "text", text: 'Context: @@[{"text":"old"}]@@' },
			{ type: "text", text: 'Task: @@[{"text":"new"}]@@' },
		];
		expect((await ask(server, [{ role: "user", content }])).text).toBe("new");
	});

	test("may have another script in it", async () => {
		const inner = JSON.stringify([{ text: "inner" }]);
		const steps = [{ tools: [{ name: "subagent", args: { prompt: `do @@${inner}@@ or @@#x#` } }] }];
		const answer = await ask(server, [user(`outer @@${JSON.stringify(steps)}@@`)]);
		expect(JSON.parse(answer.tools[0]?.args ?? "")).toEqual({ prompt: `do @@${inner}@@ or @@#x#` });
	});

	test("can be registered and named, with steps that are made on request", async () => {
		server.script("child", [{ text: "first" }, (request) => ({ text: request.tools.join() })]);
		const messages = [user("@@#child#"), assistant("first")];
		expect((await ask(server, messages.slice(0, 1))).text).toBe("first");
		expect((await ask(server, messages, { tools: ["read", "bash"] })).text).toBe("read,bash");
		expect((await ask(server, [user("@@#child#@@ now")])).text).toBe("first");
	});

	test("goes on in a session whose compaction took the message with it", async () => {
		const compacted = [user("Summary of all"), user("steered")];
		await ask(server, [user(script)], { session: "a" });
		expect((await ask(server, compacted, { session: "a" })).text).toBe("one");
		expect((await ask(server, compacted, { session: "a" })).text).toBe("two");
		expect((await ask(server, compacted, { session: "b" })).text).toBe("OK.");
	});

	test("that is unknown or cannot be read is refused with the reason", async () => {
		const unknown = await ask(server, [user("@@#nobody#")]);
		expect(unknown.status).toBe(400);
		expect(unknown.text).toContain('No script is registered as \\"nobody\\"');
		const broken = await ask(server, [user('@@[{"txt":"x"}]@@')]);
		expect(broken.text).toContain('step 0 has an unknown member \\"txt\\"');
	});

	test("that throws is an error with the reason", async () => {
		server.script("bad", [
			() => {
				throw new Error("no such thing");
			},
		]);
		const answer = await ask(server, [user("@@#bad#")]);
		expect(answer.status).toBe(500);
		expect(answer.text).toContain("no such thing");
	});
});

describe("an answer that leaves no assistant message behind", () => {
	const script = '@@[{"error":{"status":503}},{"text":"half","drop":true},{"text":"fine"}]@@';

	test("counts as a step", async () => {
		const messages = [user(`go ${script}`)];
		expect((await ask(server, messages)).status).toBe(503);
		expect((await ask(server, messages)).whole).toBe(false);
		expect((await ask(server, messages)).text).toBe("fine");
	});

	test("counts for its own session only", async () => {
		const messages = [user(`go ${script}`)];
		expect((await ask(server, messages, { session: "a" })).status).toBe(503);
		expect((await ask(server, messages, { session: "b" })).status).toBe(503);
		expect((await ask(server, messages, { session: "a" })).text).toBe("half");
	});

	test("counts for its own conversation only, where sessions do not say who they are", async () => {
		expect((await ask(server, [user(`one ${script}`)])).status).toBe(503);
		expect((await ask(server, [user(`two ${script}`)])).status).toBe(503);
	});

	test("does not count when the same script is given again", async () => {
		const first = [user(script)];
		await ask(server, first, { session: "a" });
		await ask(server, first, { session: "a" });
		const second = [...first, assistant("fine"), user(script)];
		expect((await ask(server, second, { session: "a" })).status).toBe(503);
	});

	test("counts after a compaction took what was before", async () => {
		const messages = [user("old"), assistant("old"), user(script)];
		await ask(server, messages, { session: "a" });
		const compacted = [user("Summary"), user(script)];
		expect((await ask(server, compacted, { session: "a" })).text).toBe("half");
	});

	test("is one that the client did not wait for, too", async () => {
		const messages = [user('@@[{"text":"begun","hang":true},{"text":"next"}]@@')];
		const controller = new AbortController();
		const first = ask(server, messages, { signal: controller.signal });
		const request = await server.waitForRequest(() => true);
		expect(request.open).toBe(true);
		controller.abort();
		await first.catch(() => undefined);
		await request.ended;
		expect(request.aborted).toBe(true);
		expect((await ask(server, messages)).text).toBe("next");
	});
});

describe("the log", () => {
	test("tells what came", async () => {
		const messages = [{ role: "system", content: "You are it." }, user("hello")];
		await ask(server, messages, { session: "s1", tools: ["read"], headers: { "x-mine": "1" } });
		const [request] = server.requests;
		expect(request).toMatchObject({
			index: 0,
			model: "m1",
			messages,
			roles: ["system", "user"],
			system: "You are it.",
			lastUserText: "hello",
			tools: ["read"],
			session: "s1",
			kind: "answer",
			step: undefined,
			status: 200,
			open: false,
			aborted: false,
		});
		expect(request?.headers["x-mine"]).toBe("1");
		expect(request?.body.stream).toBe(true);
	});

	test("is waited for, whether the request came or comes", async () => {
		const later = server.waitForRequest((request) => request.lastUserText === "second");
		await ask(server, [user("first")]);
		expect((await server.waitForRequest(() => true)).index).toBe(0);
		await ask(server, [user("second")]);
		expect((await later).index).toBe(1);
	});
});

describe("a gate", () => {
	test("holds an answer until it is released, and the peak tells how many went on at once", async () => {
		const held = (name: string) => user(`@@[{"hold":"${name}","text":"${name}"}]@@`);
		const ended: string[] = [];
		const answers = ["a", "b"].map((name) =>
			ask(server, [held(name)]).then((answer) => ended.push(answer.text)),
		);
		await server.waitForRequest((request) => request.index === 1);
		server.release("b");
		await answers[1];
		server.release("a");
		await answers[0];
		expect(ended).toEqual(["b", "a"]);
		expect(server.peakConcurrency).toBe(2);
		await ask(server, [held("a")]);
		expect(ended).toEqual(["b", "a"]);
	});
});

describe("a request for a summary", () => {
	const summarize = [
		{ role: "system", content: "You are a context summarization assistant. Do it." },
		user('Summarize: @@[{"text":"no"}]@@'),
	];

	test("is answered with the summary, whatever it quotes", async () => {
		expect((await ask(server, summarize)).text).toBe("Summary of the conversation.");
		expect(server.requests[0]?.kind).toBe("summary");
	});

	test("is answered as the test says", async () => {
		server.setSummary({ error: { status: 400 } });
		expect((await ask(server, summarize)).status).toBe(400);
		server.reset();
		expect((await ask(server, summarize)).text).toBe("Summary of the conversation.");
	});
});

describe("strict mode", () => {
	const call = {
		...assistant(""),
		tool_calls: [{ id: "c1", function: { name: "read", arguments: "{}" } }],
	};
	const result = { role: "tool", tool_call_id: "c1", content: "text" };

	test.each([
		["a call and its result", [user("a"), call, result], undefined],
		[
			"a call without its result",
			[user("a"), call, user("b")],
			'The tool call "c1" has no result directly after it.',
		],
		["a call at the end", [user("a"), call], 'The tool call "c1" has no result directly after it.'],
		[
			"a result without its call",
			[user("a"), result],
			'The tool result "c1" does not follow a call with that id.',
		],
		[
			"a result twice",
			[user("a"), call, result, result],
			'The tool result "c1" does not follow a call with that id.',
		],
	])("judges %s", async (_name, messages, problem) => {
		await restart({ strict: true });
		const answer = await ask(server, messages);
		expect(answer.status).toBe(problem === undefined ? 200 : 400);
		if (problem !== undefined) expect(JSON.parse(answer.text).error.message).toBe(problem);
	});
});

describe("the server", () => {
	test("forgets everything on reset", async () => {
		server.script("x", [{ text: "x" }]);
		await ask(server, [user("@@#x#")]);
		server.reset();
		expect(server.requests).toEqual([]);
		expect(server.peakConcurrency).toBe(0);
		expect((await ask(server, [user("@@#x#")])).status).toBe(400);
	});

	test("ends answers that hang when it is closed", async () => {
		const answer = ask(server, [user('@@[{"hang":true}]@@')]);
		await server.waitForRequest(() => true);
		await server.close();
		await server.close();
		expect((await answer.catch(() => undefined))?.whole ?? false).toBe(false);
		await expect(server.waitForRequest(() => false)).rejects.toThrow("closed");
	});

	test("knows chat completions only", async () => {
		expect((await fetch(`${server.url}/embeddings`, { method: "POST" })).status).toBe(404);
		expect((await fetch(`${server.url}/models`)).status).toBe(200);
		const body = await fetch(`${server.url}/chat/completions`, { method: "POST", body: "{}" });
		expect(body.status).toBe(400);
	});
});
