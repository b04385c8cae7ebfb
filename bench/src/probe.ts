import { writeFileSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import {
	type AgentSession,
	createAgentSession,
	type ExtensionAPI,
	type ExtensionContext,
	getAgentDir,
	type ModelRegistry,
	SessionManager,
} from "@mariozechner/pi-coding-agent";
import { createLimit } from "./at-once.js";

/** What the parent of raw background children is told. */
export const ALL_ENDED = "All children have ended.";
/** How many background agents run at once if no setting says otherwise. */
const AT_ONCE = 10;

/** What the probe says, as the text of a notification. */
export type ProbeReport =
	/** The host's own clock and its CPU time so far, in milliseconds, when a run of the parent began or ended. */
	| {
			readonly probe: "run";
			readonly at: "start" | "end";
			readonly now: number;
			readonly cpu: number;
	  }
	/** The tool calls of a run, and what it took until the sessions that they made were ready for their first prompt. */
	| {
			readonly probe: "tools";
			readonly calls: readonly ProbedCall[];
			readonly sessions: readonly ProbedCall[];
	  };

/** What a tool call took, in milliseconds; the CPU time is that of the whole host. */
export interface ProbedCall {
	readonly tool: string;
	readonly wall: number;
	readonly cpu: number;
}

/**
 * An extension for hosts under measurement. It tells when runs begin and end and how long tools take, and it has a tool
 * `raw_child` that does with the host's own functions what a foreground `subagent` does: one child, one prompt; `raw_session`
 * only makes the session, and `raw_background` does not wait for the child, and wakes the parent once, after the last. If the variable `PI_BENCH_PID_FILE` names a file, it does nothing but write the process id of the host to that.
 */
export default function probe(pi: ExtensionAPI): void {
	const pidFile = process.env.PI_BENCH_PID_FILE;
	if (pidFile !== undefined) {
		writeFileSync(pidFile, String(process.pid));
		return;
	}
	const started = new Map<string, Moment>();
	let calls: ProbedCall[] = [];
	let sessions: ProbedCall[] = [];
	/** When the last tool was called; those that make sessions are called one after the other. */
	let called = moment();
	const ready = (tool: string, from = called): void => void sessions.push({ tool, ...since(from) });
	let spawning = called;

	const report = (ctx: ExtensionContext, message: ProbeReport): void => {
		if (ctx.hasUI) ctx.ui.notify(JSON.stringify(message));
	};
	pi.on("agent_start", (_, ctx) => report(ctx, { probe: "run", at: "start", ...moment() }));
	pi.on("agent_end", (_, ctx) => {
		report(ctx, { probe: "run", at: "end", ...moment() });
		report(ctx, { probe: "tools", calls, sessions });
		calls = [];
		sessions = [];
	});
	pi.on("tool_execution_start", ({ toolCallId }) => {
		called = moment();
		started.set(toolCallId, called);
	});
	pi.events.on("subagents:child:spawning", () => {
		spawning = moment();
	});
	pi.events.on("subagents:child:bound", () => {
		ready("subagent");
		ready("child session", spawning);
	});
	pi.on("tool_execution_end", ({ toolCallId, toolName: tool }) => {
		const start = started.get(toolCallId);
		if (start) calls.push({ tool, ...since(start) });
	});
	pi.registerTool({
		name: "raw_child",
		label: "Raw child",
		description: "Runs a child without any extension.",
		parameters: { type: "object", properties: { prompt: { type: "string" } } },
		async execute(_toolCallId, args, _signal, _onUpdate, ctx) {
			const text = await rawChild(promptOf(args), ctx);
			return { content: [{ type: "text", text }], details: undefined };
		},
	});
	const limit = createLimit(AT_ONCE);
	let alive = 0;
	pi.registerTool({
		name: "raw_background",
		label: "Raw background child",
		description: "Starts a child without any extension.",
		parameters: { type: "object", properties: { prompt: { type: "string" } } },
		async execute(_toolCallId, args, _signal, _onUpdate, ctx) {
			alive++;
			void limit(() => rawChild(promptOf(args), ctx)).then(() => {
				alive--;
				if (alive > 0) return;
				const message = { customType: "raw", content: ALL_ENDED, display: true };
				pi.sendMessage(message, { triggerTurn: true, deliverAs: "followUp" });
			});
			return { content: [{ type: "text", text: "A child has started." }], details: undefined };
		},
	});
	pi.registerTool({
		name: "raw_session",
		label: "Raw session",
		description: "Makes a child and does not prompt it.",
		parameters: { type: "object", properties: {} },
		async execute(_toolCallId, _args, _signal, _onUpdate, ctx) {
			const session = await rawSession(ctx);
			await session.bindExtensions({});
			ready("raw_session");
			session.dispose();
			return { content: [{ type: "text", text: "Made." }], details: undefined };
		},
	});
}

interface Moment {
	readonly now: number;
	readonly cpu: number;
}

function moment(): Moment {
	const { user, system } = process.cpuUsage();
	return { now: performance.now(), cpu: (user + system) / 1000 };
}

function since(start: Moment): Omit<ProbedCall, "tool"> {
	const end = moment();
	return { wall: end.now - start.now, cpu: end.cpu - start.cpu };
}

function promptOf(args: unknown): string {
	const prompt = typeof args === "object" && args !== null && "prompt" in args && args.prompt;
	return typeof prompt === "string" ? prompt : "";
}

async function rawChild(prompt: string, ctx: ExtensionContext): Promise<string> {
	const session = await rawSession(ctx);
	try {
		await session.prompt(prompt);
		return session.getLastAssistantText() ?? "";
	} finally {
		session.dispose();
	}
}

/** As the documentation of the SDK says, with the parent's models. */
async function rawSession(ctx: ExtensionContext): Promise<AgentSession> {
	// The runtime is what pi 1.x takes instead; its types keep it private.
	const registry: ModelRegistry & { readonly runtime?: unknown } = ctx.modelRegistry;
	const { session } = await createAgentSession({
		cwd: ctx.cwd,
		agentDir: getAgentDir(),
		modelRegistry: registry,
		authStorage: registry.authStorage,
		...{ modelRuntime: registry.runtime },
		...(ctx.model && { model: ctx.model }),
		sessionManager: storedBelow(ctx),
	});
	return session;
}

/** Where the parent's conversation is stored, the child's is, too. */
function storedBelow(ctx: ExtensionContext): SessionManager {
	const file = ctx.sessionManager.getSessionFile();
	if (file === undefined) return SessionManager.inMemory(ctx.cwd);
	return SessionManager.create(ctx.cwd, join(dirname(file), basename(file, extname(file)), "raw"));
}
