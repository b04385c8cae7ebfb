import { messageText } from "@pi-subagents/core";
import type { ModelRequest, ModelStep, ScriptedToolCall } from "@pi-subagents/test-helpers";
import { scriptedAgent } from "./scripted-agents.js";
import { COUNT_TESTS, type DemoTask, LIST_PACKAGES, MEASURE_SOURCE, STEERING } from "./tasks.js";

/** How the scripted model plays. */
export interface ScriptedModelOptions {
	/** `delegation`: what the demonstration's prompt asks for; `background`: three agents in the background for any prompt. */
	readonly plan: "delegation" | "background";
	/** Milliseconds that it takes over the text of one answer. */
	readonly pace: number;
	/** Of `delegation`: the gate at which the agent that is to be steered waits until the message is on its way. */
	readonly gate: string;
	readonly openGate: () => void;
}

/**
 * A model that answers by rules instead of thinking: as the parent if it has the tool `subagent`, else as an agent. It
 * looks at nothing but the conversation, so what it says of tool results is true.
 */
export function scriptedModel(options: ScriptedModelOptions): (request: ModelRequest) => ModelStep {
	return (request) => {
		const step = request.tools.includes("subagent")
			? parent(request, options)
			: agent(request, options);
		const { text = "", tools = [] } = step;
		return {
			...step,
			slow: { chunks: PIECES, ms: options.pace / PIECES },
			usage: {
				p: tokens(JSON.stringify(request.body)),
				c: tokens(text + JSON.stringify(tools)),
			},
		};
	};
}

const PIECES = 10;

/** About four characters are a token. */
function tokens(text: string): number {
	return Math.ceil(text.length / 4);
}

function agent({ messages }: ModelRequest, { plan, gate }: ScriptedModelOptions): ModelStep {
	const said = messages.filter(({ role }) => role === "user").map(messageText);
	const [task = "", ...more] = said;
	const step = messages.filter(({ role }) => role === "assistant").length;
	const results = messages.filter(({ role }) => role === "tool").map(messageText);
	const answer = scriptedAgent(task, { step, results, messages: more });
	const waits = plan === "delegation" && step === 0 && task.includes(MEASURE_SOURCE.prompt);
	return waits ? { ...answer, hold: gate } : answer;
}

function parent({ messages }: ModelRequest, options: ScriptedModelOptions): ModelStep {
	const last = messages.at(-1);
	if (last?.role === "user") {
		const text = messageText(last);
		if (/background agents? (has|have) ended/.test(text)) return { text: summary(text) };
		return options.plan === "delegation"
			? { text: "I begin with the tests.", tools: [delegate(COUNT_TESTS, false)] }
			: { text: "Each of the three gets an agent of its own.", tools: ALL.map(inBackground) };
	}
	const calls = messages.findLast(({ role }) => role === "assistant")?.tool_calls ?? [];
	const results = messages.slice(-calls.length).map(messageText);
	if (calls.some((call) => call.function.name === "steer_subagent")) {
		options.openGate();
		return { text: "Both are at work. I am told when they have ended." };
	}
	if (calls.length === 1) {
		return {
			text: "The tests are counted. Now the other two, at once.",
			tools: [LIST_PACKAGES, MEASURE_SOURCE].map(inBackground),
		};
	}
	if (options.plan === "background") return { text: "All three are at work above the editor." };
	const id = /agent_id: (\S+)/.exec(results[1] ?? "")?.[1] ?? "";
	return {
		text: "One more thing for the second.",
		tools: [{ name: "steer_subagent", args: { agent_id: id, message: STEERING } }],
	};
}

const ALL = [COUNT_TESTS, LIST_PACKAGES, MEASURE_SOURCE];

function inBackground(task: DemoTask): ScriptedToolCall {
	return delegate(task, true);
}

function delegate({ type, description, prompt }: DemoTask, background: boolean): ScriptedToolCall {
	const args = { subagent_type: type, description, prompt, run_in_background: background };
	return { name: "subagent", args };
}

/** The reports in a notification, without what is around them. */
function summary(notification: string): string {
	const reports = notification
		.split(/^agent_id: \S+$/m)
		.slice(1)
		.map((report) => {
			const [headline = "", ...body] = report.trim().split("\n");
			const name = /"([^"]*)"/.exec(headline)?.[1] ?? headline;
			const text = body.filter((line) => !line.startsWith("```")).join("\n");
			return `${name}: ${text.trim()}`;
		});
	return reports.join("\n\n");
}
