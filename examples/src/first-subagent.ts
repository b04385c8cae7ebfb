// npm i @pi-subagents/runner @mariozechner/pi-agent-core@0.73.1 @mariozechner/pi-ai@0.73.1
// OPENAI_API_KEY=... node first-subagent.mjs "What does git bisect do?"
import { getModel } from "@mariozechner/pi-ai";
import { runAgent } from "@pi-subagents/runner";
import { createAgentSession } from "@pi-subagents/runner/agent-core";

// Any server that speaks OpenAI's protocol, or OpenAI itself.
const { MODEL_URL: baseUrl } = process.env;
const gpt = getModel("openai", "gpt-4o-mini");
const model = baseUrl ? { ...gpt, api: "openai-completions", baseUrl } : gpt;

const { outcome, session, text, usage } = await runAgent({
	prompt: process.argv[2] ?? "What does git bisect do?",
	limits: { maxTurns: 10, maxCost: 0.05 },
	createSession: () =>
		createAgentSession({ initialState: { model, systemPrompt: "You are brief." } }),
});
await session?.dispose();
if (outcome.status === "error") process.exitCode = 1;
console.log(text || outcome.detail || outcome.status, `($${usage.cost.toFixed(4)})`);
