import type { Agent, AgentOptions, AgentTool } from "@mariozechner/pi-agent-core";
import { type Model, streamSimple, Type } from "@mariozechner/pi-ai";
import type { ModelServer } from "@pi-subagents/test-helpers";
import { type AgentCoreSession, createAgentSession } from "../src/agent-core.js";

/** The model behind a scripted model server, as pi-ai describes models. A token costs a thousandth of a dollar. */
export function scriptedModel(server: ModelServer): Model<"openai-completions"> {
	return {
		id: "m1",
		name: "Scripted",
		api: "openai-completions",
		provider: "scripted",
		baseUrl: server.url,
		reasoning: false,
		input: ["text"],
		cost: { input: 1000, output: 1000, cacheRead: 0, cacheWrite: 0 },
		contextWindow: 100_000,
		maxTokens: 4000,
		compat: { supportsDeveloperRole: false, supportsReasoningEffort: false },
	};
}

/** A session on the real `Agent`, whose model is the server's. A failed request is not tried again. */
export function realSession(
	server: ModelServer,
	tools: AgentTool[] = [],
	options: AgentOptions = {},
): Promise<AgentCoreSession<Agent>> {
	return createAgentSession({
		initialState: { systemPrompt: "You are a child.", model: scriptedModel(server), tools },
		getApiKey: () => "scripted-key",
		streamFn: (model, context, streamOptions) =>
			streamSimple(model, context, { ...streamOptions, maxRetries: 0 }),
		...options,
	});
}

/** A tool without parameters. What `run` throws is an error result. */
export function tool(
	name: string,
	run: (signal: AbortSignal | undefined) => string | Promise<string>,
): AgentTool {
	return {
		name,
		label: name,
		description: `Test tool ${name}`,
		parameters: Type.Object({}),
		execute: async (_id, _params, signal) => ({
			content: [{ type: "text", text: await run(signal) }],
			details: {},
		}),
	};
}

/** A prompt with its script for the model server. */
export function scripted(text: string, steps: readonly unknown[]): string {
	return `${text} @@${JSON.stringify(steps)}@@`;
}
