import type { ExtensionFactory } from "@mariozechner/pi-coding-agent";
import type { ToolRights } from "./tool-rights.js";

/**
 * An extension inside the child that holds it to its rights: tools that other extensions add later are taken out before
 * the next request, and a call that comes all the same is refused.
 */
export function childGuard(agentName: string, rights: ToolRights): ExtensionFactory {
	return (pi) => {
		const narrow = (): void => {
			const active = pi.getActiveTools();
			const allowed = active.filter(rights.allows);
			if (allowed.length < active.length) pi.setActiveTools(allowed);
		};
		pi.on("before_agent_start", narrow);
		pi.on("turn_end", narrow);
		pi.on("tool_call", (event) =>
			rights.allows(event.toolName)
				? undefined
				: { block: true, reason: `The agent ${agentName} has no right to use ${event.toolName}.` },
		);
	};
}
