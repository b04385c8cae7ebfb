import type { AgentToolResult } from "@mariozechner/pi-agent-core";
import type { ExtensionContext, ToolDefinition } from "@mariozechner/pi-coding-agent";

/** The tools of a session, for use by one of its own tools. */
export interface CallableTools {
	/** Those that can be called now. Throws when the session was replaced or reloaded. */
	list(): readonly CallableTool[];
	/** Resolves also for a failure of the tool. Throws or rejects when the session was replaced or reloaded. */
	call(name: string, args: unknown, options: CallOptions): Promise<CallOutcome>;
}

/** One of these tools. */
export type CallableTool = Pick<ToolDefinition, "name" | "label" | "description" | "parameters">;

/** What a call comes with. */
export interface CallOptions {
	readonly signal?: AbortSignal;
	readonly onUpdate?: (partial: AgentToolResult<unknown>) => void;
}

/** What came of a call. */
export interface CallOutcome {
	readonly result: Pick<AgentToolResult<unknown>, "content" | "details">;
	readonly isError: boolean;
}

/** The members of a tool's context that only pi 1.x has. */
interface ToolContext {
	readonly tools?: readonly CallableTool[];
	executeTool?(name: string, args: unknown, options: CallOptions): Promise<CallOutcome>;
}

/** The tools of the session that a tool was called in; `undefined` on 0.73.1, where no tool can call another. */
export function callableTools(ctx: ExtensionContext): CallableTools | undefined {
	const host: object = ctx;
	const context: ToolContext = host;
	if (context.executeTool === undefined) return undefined;
	const { executeTool } = context;
	return {
		list: () => context.tools ?? [],
		call: (name, args, options) => executeTool(name, args, options),
	};
}
