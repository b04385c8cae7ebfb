import type { ExtensionContext, ToolDefinition } from "@mariozechner/pi-coding-agent";
import { describeAgent } from "@pi-subagents/definitions";
import { type Static, Type } from "typebox";
import type { Subagents } from "../subagents.js";
import { renderAgentCall, renderAgentResult } from "../ui/cards.js";
import { type AgentView, prepareArguments, type ToolDetails } from "./tool-result.js";

const parameters = Type.Object({
	prompt: Type.String({ description: "The whole task; the agent knows nothing else." }),
	description: Type.String({ description: "3-5 words for the user." }),
	subagent_type: Type.String({ description: "One of the types." }),
	model: Type.Optional(
		Type.String({ description: '"provider/id" or a name. Default: the type\'s.' }),
	),
	thinking: Type.Optional(
		Type.String({ description: "off, minimal, low, medium, high, xhigh or max." }),
	),
	max_turns: Type.Optional(Type.Number({ description: "Default: the type's." })),
	run_in_background: Type.Optional(Type.Boolean()),
	resume: Type.Optional(
		Type.String({ description: "agent_id of an ended agent that gets the task." }),
	),
	inherit_context: Type.Optional(Type.Boolean({ description: "Give it this conversation, too." })),
	isolated: Type.Optional(Type.Boolean({ description: "No extension tools." })),
	isolation: Type.Optional(
		Type.String({ description: '"none" or "worktree" (own git worktree).' }),
	),
	cwd: Type.Optional(Type.String({ description: "Its directory. Default: yours." })),
});

/** The arguments of a `subagent` call, without those that say nothing. */
export type SubagentCall = Static<typeof parameters>;

/** The tool that starts and resumes agents. Its description lists the types that the model may choose from. */
export function subagentTool(
	subagents: Subagents,
	types: readonly { readonly name: string; readonly description: string }[],
): ToolDefinition<typeof parameters, ToolDetails> {
	return {
		name: "subagent",
		label: "Subagent",
		description: [
			[
				"Give a task to another agent with its own context. You get its last message.",
				"Calls in one message run at once, as far as the limit allows.",
				...(subagents.hasBackground
					? [
							"In the background you get an agent_id at once and are told when it ends: do not poll.",
						]
					: []),
			].join(" "),
			...typeLines(types),
		].join("\n"),
		promptSnippet: "Give a task to another agent",
		parameters,
		prepareArguments: (args) =>
			prepareArguments(args, ["prompt", "description", "subagent_type"]) as SubagentCall,
		execute: (_toolCallId, call, signal, onUpdate, ctx: ExtensionContext) =>
			subagents.delegate(call, ctx, signal, (view: AgentView, text: string) =>
				onUpdate?.({ content: [{ type: "text", text }], details: { failed: false, agent: view } }),
			),
		renderCall: (args, theme) => renderAgentCall("subagent", args, theme),
		renderResult: (result, options, theme) => renderAgentResult(result, options, theme),
	};
}

/** How much of the description the types may take, in characters. */
const TYPES_BUDGET = 4000;

function typeLines(
	types: readonly { readonly name: string; readonly description: string }[],
): readonly string[] {
	if (types.length === 0) return ["There are no types now, so none can be started."];
	const lines = ["Types:"];
	let used = 0;
	for (const [index, { name, description }] of types.entries()) {
		const line = `- ${describeAgent({ name, description }, 200)}`;
		used += line.length;
		if (used > TYPES_BUDGET) {
			lines.push(`- and ${types.length - index} more; get_subagent_result lists them.`);
			break;
		}
		lines.push(line);
	}
	return lines;
}
