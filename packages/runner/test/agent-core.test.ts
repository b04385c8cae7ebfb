import { Agent, type AgentOptions } from "@mariozechner/pi-agent-core";
import {
	createAssistantMessageEventStream,
	fauxAssistantMessage,
	fauxText,
	fauxThinking,
} from "@mariozechner/pi-ai";
import { isPartial } from "@pi-subagents/core";
import { type ModelServer, startModelServer } from "@pi-subagents/test-helpers";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { agentSession, createAgentSession } from "../src/agent-core.js";
import { resumeAgent, runAgent } from "../src/index.js";
import { realSession, scripted, scriptedModel, tool } from "./real-agent.js";

let server: ModelServer;
beforeAll(async () => {
	server = await startModelServer();
});
afterEach(() => server.reset());
afterAll(() => server.close());

const read = tool("read", () => "contents");

function run(prompt: string, tools = [read], options: AgentOptions = {}) {
	return runAgent({ prompt, createSession: () => realSession(server, tools, options) });
}

describe("a run on the Agent of pi-agent-core", () => {
	test("that answers is completed with its text, usage and turns", async () => {
		const result = await run(
			scripted("look", [
				{ text: "looking", tools: [{ name: "read" }], usage: { p: 100, c: 20 } },
				{ text: "The answer.", usage: { p: 150, c: 30, cached: 100 } },
			]),
		);
		expect(result).toMatchObject({
			outcome: { status: "completed", reason: "finished" },
			text: "The answer.",
			turns: 2,
			usage: { input: 150, output: 50, cacheRead: 100, cacheWrite: 0, cost: 0.2 },
			unreadMessages: [],
			unresponsive: false,
		});
	});

	test("gives the prompt to the model as it is, even if it looks like a command", async () => {
		await run("/compact the $(code) & `report`");
		expect(server.requests.map((request) => request.lastUserText)).toEqual([
			"/compact the $(code) & `report`",
		]);
	});

	test("whose provider gives up is an error with the provider's words and the text so far (RESULT-01)", async () => {
		const result = await run(
			scripted("look", [
				{ text: "looking now", tools: [{ name: "read" }] },
				{ error: { status: 400, body: { error: { message: "bad request" } } } },
			]),
		);
		expect(result.outcome).toEqual({
			status: "error",
			reason: "provider_error",
			detail: "400 bad request",
		});
		expect(result.text).toBe("looking now");
		expect(isPartial(result.outcome)).toBe(true);
	});

	test("whose provider gives up in a resume does not answer with the text of the run before (RESULT-01)", async () => {
		const { session } = await run(scripted("first", [{ text: "The first answer." }]));
		if (session === undefined) throw new Error("There is no session.");
		const result = await resumeAgent(session, {
			prompt: scripted("second", [{ error: { status: 400 } }]),
		});
		expect(result).toMatchObject({
			outcome: { status: "error", reason: "provider_error", detail: "400 Scripted error 400" },
			text: "",
			turns: 0,
		});
	});

	test("whose provider fails after some rounds keeps what was said last (RESULT-11)", async () => {
		const round = (text: string) => ({ text, tools: [{ name: "read" }] });
		const result = await run(
			scripted("write", [round("P1"), round("P2"), round("P3"), { error: { status: 500 } }]),
		);
		expect(result).toMatchObject({
			outcome: { status: "error", reason: "provider_error" },
			text: "P3",
			turns: 3,
		});
	});

	test("that ends with thinking only has finished without a report and says what it said last (RESULT-03)", async () => {
		const round = (text: string) => ({ text, tools: [{ name: "read" }] });
		const rounds = ["one", "two", "three", "four", "five"].map(round);
		const result = await run(scripted("dig", [...rounds, { think: "enough" }]));
		expect(result.outcome).toEqual({ status: "completed", reason: "no_report" });
		expect(result.text).toBe("five");
		expect(isPartial(result.outcome)).toBe(true);
	});

	test("that is cut off at the model's output limit says so and keeps the text (RESULT-08)", async () => {
		const result = await run(scripted("report", [{ text: "Half a sen", finish: "length" }]));
		expect(result.outcome).toEqual({ status: "completed", reason: "output_limit" });
		expect(result.text).toBe("Half a sen");
		expect(isPartial(result.outcome)).toBe(true);
	});

	test("of a provider that sends the whole message at once has all its text (RESULT-02, RESULT-05)", async () => {
		const message = fauxAssistantMessage([
			fauxText(""),
			fauxThinking("hm"),
			fauxText("ANSWER-1"),
			fauxText("  "),
			fauxText("ANSWER-2"),
		]);
		const result = await run("task", [], {
			streamFn() {
				const stream = createAssistantMessageEventStream();
				stream.push({ type: "done", reason: "stop", message });
				return stream;
			},
		});
		expect(result.text).toBe("ANSWER-1\n\nANSWER-2");
		expect(result.outcome).toEqual({ status: "completed", reason: "finished" });
	});

	test("that recovers from a failed tool is completed (STATUS-02)", async () => {
		let calls = 0;
		const flaky = tool("flaky", () => {
			if (calls++ === 0) throw new Error("no such file");
			return "contents";
		});
		const call = { tools: [{ name: "flaky" }] };
		const result = await run(scripted("try", [call, call, { text: "done" }]), [flaky]);
		expect(calls).toBe(2);
		expect(result).toMatchObject({ outcome: { status: "completed" }, text: "done", turns: 3 });
	});

	test("whose connection is lost is an error with the text so far", async () => {
		const result = await run(scripted("say", [{ text: "half of it", drop: true }]));
		expect(result.outcome).toMatchObject({ status: "error", reason: "provider_error" });
		expect(result.outcome.detail).not.toBe("");
		expect(result.text).toBe("half of it");
	});

	test("whose loop fails outside any message is an error with what was thrown", async () => {
		let asked = 0;
		const getApiKey = (): string => {
			if (asked++ > 0) throw new Error("The key has expired.");
			return "scripted-key";
		};
		const result = await run(
			scripted("look", [{ text: "looking", tools: [{ name: "read" }] }, { text: "never" }]),
			[read],
			{ getApiKey },
		);
		expect(result).toMatchObject({
			outcome: { status: "error", reason: "provider_error", detail: "The key has expired" },
			text: "looking",
		});
	});

	test("on a second prompt goes on with the conversation", async () => {
		const { session } = await run("My name is Ada.");
		if (session === undefined) throw new Error("There is no session.");
		const result = await resumeAgent(session, { prompt: "What is my name?" });
		expect(result.text).toBe("OK.");
		expect(server.requests.at(-1)?.roles).toEqual(["system", "user", "assistant", "user"]);
	});
});

describe("a session", () => {
	test("is made with the Agent class that is handed in", async () => {
		class OwnAgent extends Agent {}
		const session = await createAgentSession({}, OwnAgent);
		expect(session.agent).toBeInstanceOf(OwnAgent);
		expect((await createAgentSession({})).agent).toBeInstanceOf(Agent);
	});

	test("takes back the messages that were not read, and those only", async () => {
		const session = await realSession(server);
		await session.steer("first");
		await session.prompt("go");
		await session.steer("second");
		await session.steer(" third ");
		expect(session.clearQueue()).toEqual({ steering: ["second", "third"], followUp: [] });
		expect(session.clearQueue()).toEqual({ steering: [], followUp: [] });
		expect(session.agent.hasQueuedMessages()).toBe(false);
		expect(server.requests.at(-1)?.messages.map((message) => message.role)).toEqual([
			"system",
			"user",
			"user",
		]);
	});

	test("that is disposed listens to its agent no more", async () => {
		let listeners = 0;
		class CountingAgent extends Agent {
			override subscribe(listener: Parameters<Agent["subscribe"]>[0]): () => void {
				const stop = super.subscribe(listener);
				listeners++;
				return () => {
					listeners--;
					stop();
				};
			}
		}
		const session = await createAgentSession({}, CountingAgent);
		expect(listeners).toBe(1);
		await session.dispose();
		expect(listeners).toBe(0);
	});

	test("that is disposed aborts the agent and forgets what it has not read", async () => {
		const agent = new Agent({
			initialState: { model: scriptedModel(server) },
			getApiKey: () => "scripted-key",
		});
		const session = agentSession(agent);
		const prompted = session.prompt(scripted("wait", [{ hang: true }]));
		const request = await server.waitForRequest(() => true);
		await session.steer("never read");
		await session.dispose();
		await prompted;
		await request.ended;
		expect(request.aborted).toBe(true);
		expect(agent.hasQueuedMessages()).toBe(false);
	});
});
