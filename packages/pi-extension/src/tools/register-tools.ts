import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import { OWN_TOOLS } from "../own-tools.js";
import type { Subagents } from "../subagents.js";
import { getSubagentResultTool, steerSubagentTool, stopSubagentTool } from "./agent-tools.js";
import { subagentTool } from "./subagent-tool.js";
import { isFailedResult } from "./tool-result.js";

/** Gives a session the four tools. `types` are those that its model is told of. */
export function registerTools(
	pi: ExtensionAPI,
	subagents: Subagents,
	types: Parameters<typeof subagentTool>[1],
): void {
	pi.registerTool(subagentTool(subagents, types));
	pi.registerTool(getSubagentResultTool(subagents));
	pi.registerTool(steerSubagentTool(subagents));
	pi.registerTool(stopSubagentTool(subagents));
	// Both hosts take the flag from here; 0.73.1 ignores one in the result itself.
	pi.on("tool_result", (event) =>
		OWN_TOOLS.has(event.toolName) && isFailedResult(event.details) ? { isError: true } : undefined,
	);
}
