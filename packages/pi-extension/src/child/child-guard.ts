import type { ExtensionAPI, ExtensionFactory } from "@mariozechner/pi-coding-agent";
import type { Workspace } from "@pi-subagents/core";
import { createWriteGuard } from "@pi-subagents/worktrees";
import type { EventBus } from "./child-events.js";
import type { ToolRights } from "./tool-rights.js";

/** What a child is held to, and what it gets. */
export interface ChildBounds {
	readonly agentName: string;
	readonly rights: ToolRights;
	/** The place that it may write in, if it has one of its own. */
	readonly workspace: Workspace | undefined;
	/** The directory that the workspace was made for; it is not the agent's to change. */
	readonly parentCwd: string;
	/** Gives the child the tools to start agents of its own, if it may. */
	readonly delegate: ((pi: ExtensionAPI) => void) | undefined;
	/** The tools of the main session that the child uses there, as they are now. */
	readonly sharedTools: (() => Promise<readonly SharedTool[]>) | undefined;
	/** Hears of the bus that the extensions of the child share. */
	readonly onBus: (bus: EventBus) => void;
}

/** A tool to register in the child. */
export type SharedTool = Parameters<ExtensionAPI["registerTool"]>[0];

/** The host's tools that write the file of their `path`. */
const WRITING_TOOLS: ReadonlySet<string> = new Set(["write", "edit"]);

/**
 * An extension inside the child that holds it to its bounds: tools that other extensions add later are taken out before
 * the next request, a call that comes all the same is refused, and so is a file outside of the agent's own workspace.
 * It is loaded after all others.
 */
export function childGuard({
	agentName,
	rights,
	workspace,
	parentCwd,
	delegate,
	sharedTools,
	onBus,
}: ChildBounds): ExtensionFactory {
	const writes = workspace && createWriteGuard(workspace.root, [parentCwd]);
	return async (pi) => {
		onBus(pi.events);
		delegate?.(pi);

		const shared = new Set<string>();
		const share = async (): Promise<void> => {
			for (const tool of (await sharedTools?.()) ?? []) {
				if (shared.has(tool.name) || !rights.allows(tool.name)) continue;
				shared.add(tool.name);
				pi.registerTool(tool);
			}
		};
		await share();

		const narrow = (): void => {
			const active = pi.getActiveTools();
			const allowed = active.filter(rights.allows);
			if (allowed.length < active.length) pi.setActiveTools(allowed);
		};
		const settle = async (): Promise<void> => {
			if (sharedTools) await share();
			narrow();
		};
		pi.on("before_agent_start", settle);
		pi.on("turn_end", settle);
		pi.on("tool_call", async ({ toolName, input }, ctx) => {
			if (!rights.allows(toolName)) {
				return { block: true, reason: `The agent ${agentName} has no right to use ${toolName}.` };
			}
			if (writes === undefined || !WRITING_TOOLS.has(toolName)) return undefined;
			const path = "path" in input ? input.path : undefined;
			if (typeof path !== "string") return { block: true, reason: `${toolName} needs a path.` };
			const decision = await writes.check(path, ctx.cwd);
			return decision.allowed ? undefined : { block: true, reason: decision.reason };
		});
	};
}
