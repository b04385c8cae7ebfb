import { Agent } from "@mariozechner/pi-agent-core";
import { getEnvApiKey, getModel, type Model, streamSimple } from "@mariozechner/pi-ai";
import type { AgentCoreSession } from "@pi-subagents/runner/agent-core";
import { createAgentSession } from "@pi-subagents/runner/agent-core";

/**
 * A model of whichever provider has its key in the environment, or one on a server that speaks OpenAI's protocol, with its
 * URL in `MODEL_URL` and its name in `MODEL`.
 */
export function chooseModel(): Model<never> {
	const gpt = getModel("openai", "gpt-4o-mini");
	const { MODEL: id = "local", MODEL_URL: baseUrl } = process.env;
	if (baseUrl) {
		const local = { ...gpt, id, baseUrl, api: "openai-completions" as const, provider: "local" };
		return local as Model<never>;
	}
	const known = [getModel("anthropic", "claude-haiku-4-5"), gpt];
	const found = known.find(({ provider }) => getEnvApiKey(provider));
	if (found !== undefined) return found as Model<never>;
	console.error("Set ANTHROPIC_API_KEY or OPENAI_API_KEY, or MODEL_URL to the URL of a server.");
	return process.exit(1);
}

/** A session on pi-agent-core's `Agent`, without tools. */
export function plainSession(systemPrompt: string): Promise<AgentCoreSession<Agent>> {
	const options = {
		initialState: { model: chooseModel(), systemPrompt },
		streamFn: streamSimple,
		getApiKey: (provider: string) => getEnvApiKey(provider) ?? "none",
	};
	return createAgentSession(options, Agent);
}
