// The baseline of the row `background`, run on the Node and with the SDK of a host: a parent that starts children in one
// turn and is told once when all have ended, with nothing but `createAgentSession`. One round for each message.
import { join } from "node:path";
import type { AgentSession, ToolDefinition } from "@mariozechner/pi-coding-agent";
import { createLimit } from "./at-once.js";
import { type Spent, spend } from "./compare.js";

/** What the program is told at its start, as JSON in its first argument. */
export interface RawSessionsOptions {
	/** The main file of the host's pi-coding-agent. */
	readonly sdk: string;
	readonly agentDir: string;
	readonly cwd: string;
	/** The prompt of the parent; its model calls `start_raw` once for each child. */
	readonly parentPrompt: string;
	readonly childPrompt: string;
	readonly children: number;
	readonly atOnce: number;
}

const options: RawSessionsOptions = JSON.parse(process.argv[2] ?? "{}");
const { agentDir, cwd } = options;
const sdk: typeof import("@mariozechner/pi-coding-agent") = await import(options.sdk);

process.on("message", () => {
	round().then(
		(spent) => process.send?.(spent),
		(error: unknown) => {
			process.stderr.write(`${String(error)}\n`);
			process.exit(1);
		},
	);
});
process.send?.("ready");

async function round(): Promise<Spent> {
	const limit = createLimit(options.atOnce);
	const children: Promise<void>[] = [];
	const startRaw: ToolDefinition = {
		name: "start_raw",
		label: "Start",
		description: "Starts a child.",
		parameters: { type: "object", properties: { prompt: { type: "string" } } },
		async execute() {
			children.push(limit(() => child(session)));
			const text = `Child ${children.length} has started.`;
			return { content: [{ type: "text", text }], details: undefined };
		},
	};
	const { session } = await sdk.createAgentSession({
		cwd,
		agentDir,
		customTools: [startRaw],
		sessionManager: sdk.SessionManager.create(cwd, join(agentDir, "sessions", "raw")),
	});
	const spent = await spend(async () => {
		await session.prompt(options.parentPrompt);
		await Promise.all(children);
		await session.prompt("All children have ended.");
	});
	session.dispose();
	if (children.length !== options.children) throw new Error(`${children.length} children ran.`);
	return spent;
}

async function child(parent: AgentSession): Promise<void> {
	// 0.73.1 takes the registry, 1.6.0 the runtime.
	const current: AgentSession & { readonly modelRuntime?: unknown } = parent;
	const { session } = await sdk.createAgentSession({
		cwd,
		agentDir,
		...(current.modelRuntime === undefined
			? { modelRegistry: parent.modelRegistry, authStorage: parent.modelRegistry.authStorage }
			: { modelRuntime: current.modelRuntime }),
		...(parent.model && { model: parent.model }),
		sessionManager: sdk.SessionManager.create(cwd, join(agentDir, "sessions", "raw-children")),
	});
	await session.prompt(options.childPrompt);
	if (session.getLastAssistantText() !== "Done.") throw new Error("A child has no answer.");
	session.dispose();
}
