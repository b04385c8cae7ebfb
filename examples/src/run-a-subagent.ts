// Runs one sub-agent in a plain Node program, with ANTHROPIC_API_KEY or OPENAI_API_KEY in the environment, or on any server
// that speaks OpenAI's protocol, with its URL and the name of its model:
//     MODEL_URL=http://127.0.0.1:11434/v1 node examples/dist/run-a-subagent.js "What does git bisect do?" llama3.2
// With pi 1.x, import from "@earendil-works/pi-agent-core" and "@earendil-works/pi-ai/compat"; the rest stays as it is.
import { Agent } from "@mariozechner/pi-agent-core";
import { getEnvApiKey, getModel, streamSimple } from "@mariozechner/pi-ai";
import { describeOutcome, isFailure, totalTokens } from "@pi-subagents/core";
import { runAgent } from "@pi-subagents/runner";
import { createAgentSession } from "@pi-subagents/runner/agent-core";

const [prompt = "What does git bisect do?", id = "local"] = process.argv.slice(2);
const claude = getModel("anthropic", "claude-haiku-4-5");
const gpt = getModel("openai", "gpt-4o-mini");
const baseUrl = process.env.MODEL_URL ?? "";
const local = { ...gpt, id, baseUrl, api: "openai-completions", provider: "local" };
const model = baseUrl ? local : [claude, gpt].find(({ provider }) => getEnvApiKey(provider));
if (!model) {
	console.error("Set ANTHROPIC_API_KEY or OPENAI_API_KEY, or MODEL_URL to the URL of a server.");
	process.exit(1);
}

const options = {
	initialState: { model, systemPrompt: "You are a sub-agent. Answer briefly." },
	streamFn: streamSimple,
	getApiKey: (provider: string) => getEnvApiKey(provider) ?? "none",
};
const { outcome, session, text, usage } = await runAgent({
	prompt,
	limits: { maxTurns: 10 },
	createSession: () => createAgentSession(options, Agent),
});
await session?.dispose();
console.log(text);
console.log(`(${describeOutcome(outcome)}; ${totalTokens(usage)} tokens)`);
process.exitCode = isFailure(outcome) ? 1 : 0;
