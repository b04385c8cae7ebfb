import type { ExtensionAPI, ExtensionContext, ToolDefinition } from "@mariozechner/pi-coding-agent";
import { type CallableTools, callableTools } from "../host/callable-tools.js";
import { extensionNames } from "./extension-names.js";
import { matcher } from "./match-names.js";

/**
 * Tools of the main session that children use there instead of loading their extension again: for extensions that hold
 * a connection or a process.
 */
export interface SharedTools {
	/** The extensions that are shared, as the setting names them. */
	readonly extensions: readonly string[];
	/** The tools as they are now; one that registers later is in a later answer. Empty when the session is gone. */
	definitions(wanted: (extension: string) => boolean): Promise<readonly ToolDefinition[]>;
}

/** The shared tools of the session that a tool was called in; `undefined` if none are, or the host cannot. */
export function shareTools(
	pi: Pick<ExtensionAPI, "getAllTools">,
	ctx: ExtensionContext,
	extensions: readonly string[],
): SharedTools | undefined {
	const callable = extensions.length === 0 ? undefined : callableTools(ctx);
	if (callable === undefined) return undefined;
	const isShared = matcher(extensions);
	const known = new Map<string, Promise<readonly string[]>>();

	function namesOf(path: string, source: string): Promise<readonly string[]> {
		const names = known.get(path) ?? extensionNames({ path, source });
		known.set(path, names);
		return names;
	}

	return {
		extensions,
		async definitions(wanted) {
			try {
				const found: ToolDefinition[] = [];
				const origins = new Map(pi.getAllTools().map((tool) => [tool.name, tool.sourceInfo]));
				for (const tool of callable.list()) {
					const origin = origins.get(tool.name);
					if (origin === undefined) continue;
					const names = await namesOf(origin.path, origin.source);
					if (names.some(isShared) && names.some(wanted)) found.push(throughParent(tool, callable));
				}
				return found;
			} catch {
				// The session was replaced; what the child has says so when it is called.
				return [];
			}
		},
	};
}

function throughParent(
	{
		name,
		label,
		description,
		parameters,
	}: Pick<ToolDefinition, "name" | "label" | "description" | "parameters">,
	callable: CallableTools,
): ToolDefinition {
	return {
		name,
		label: label ?? name,
		description,
		parameters,
		async execute(_toolCallId, args, signal, onUpdate) {
			const outcome = await call(callable, name, args, signal, onUpdate);
			// Without the tool's `usage`: it is charged where the tool ran.
			const { content, details } = outcome.result;
			return { content, details, ...(outcome.isError && { isError: true }) };
		},
	};
}

async function call(
	callable: CallableTools,
	name: string,
	args: unknown,
	signal: AbortSignal | undefined,
	onUpdate: Parameters<ToolDefinition["execute"]>[3],
): ReturnType<CallableTools["call"]> {
	try {
		return await callable.call(name, args, {
			...(signal && { signal }),
			...(onUpdate && { onUpdate }),
		});
	} catch (error) {
		throw new Error(
			`${name} belongs to the main session, which was reloaded or replaced since this agent started, so it cannot be used any more. Go on without it and say so in your report.`,
			{ cause: error },
		);
	}
}
