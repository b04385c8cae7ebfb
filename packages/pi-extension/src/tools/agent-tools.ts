import type { ToolDefinition } from "@mariozechner/pi-coding-agent";
import { Type } from "typebox";
import type { Subagents } from "../subagents.js";
import { renderAgentCall, renderAgentResult } from "../ui/cards.js";
import { prepareArguments, type ToolDetails } from "./tool-result.js";

const resultParameters = Type.Object({
	agent_id: Type.Optional(Type.String({ description: "Left out: list agents and types." })),
	wait: Type.Optional(Type.Boolean({ description: "Wait for its end." })),
	timeout_seconds: Type.Optional(Type.Number({ description: "0: no limit." })),
	verbose: Type.Optional(Type.Boolean({ description: "Its conversation, too." })),
	offset: Type.Optional(Type.Number({ description: "Go on at this character." })),
});

/** The tool that reads reports, and waits for them. */
export function getSubagentResultTool(
	subagents: Subagents,
): ToolDefinition<typeof resultParameters, ToolDetails> {
	return {
		name: "get_subagent_result",
		label: "Subagent result",
		description: "State and report of an agent.",
		parameters: resultParameters,
		prepareArguments: (args) => prepareArguments(args, []),
		execute: (_toolCallId, call, signal) =>
			call.agent_id === undefined
				? subagents.list()
				: subagents.read(
						{
							id: call.agent_id,
							wait: call.wait ?? false,
							timeoutSeconds: call.timeout_seconds,
							verbose: call.verbose ?? false,
							offset: call.offset ?? 0,
						},
						signal,
					),
		renderCall: (args, theme) => renderAgentCall("result", args, theme),
		renderResult: (result, options, theme) => renderAgentResult(result, options, theme),
	};
}

const steerParameters = Type.Object({ agent_id: Type.String(), message: Type.String() });

/** The tool that sends a message to a running agent. */
export function steerSubagentTool(
	subagents: Subagents,
): ToolDefinition<typeof steerParameters, ToolDetails> {
	return {
		name: "steer_subagent",
		label: "Steer subagent",
		description: "Send a message to a running agent.",
		parameters: steerParameters,
		prepareArguments: (args) =>
			prepareArguments(args, ["agent_id", "message"]) as { agent_id: string; message: string },
		execute: (_toolCallId, { agent_id, message }) => subagents.steer(agent_id, message),
		renderCall: (args, theme) => renderAgentCall("steer", args, theme),
		renderResult: (result, options, theme) => renderAgentResult(result, options, theme),
	};
}

const stopParameters = Type.Object({
	agent_id: Type.String({ description: '"all": every agent.' }),
});

/** The tool that stops an agent. */
export function stopSubagentTool(
	subagents: Subagents,
): ToolDefinition<typeof stopParameters, ToolDetails> {
	return {
		name: "stop_subagent",
		label: "Stop subagent",
		description: "Stop an agent; its partial text is kept.",
		parameters: stopParameters,
		prepareArguments: (args) => prepareArguments(args, ["agent_id"]) as { agent_id: string },
		execute: (_toolCallId, { agent_id }, signal) => subagents.stop(agent_id, signal),
		renderCall: (args, theme) => renderAgentCall("stop", args, theme),
		renderResult: (result, options, theme) => renderAgentResult(result, options, theme),
	};
}
