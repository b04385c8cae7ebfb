import type {
	ChatMessage,
	HostLine,
	ModelRequest,
	PromptResult,
	RpcTestHost,
	ScriptedToolCall,
} from "@pi-subagents/test-helpers";
import { expect } from "vitest";
import { type ChildWorld, requestsOf, script, toolResults } from "./child-host.js";

/** The result of a tool call as the host records it. */
export interface ToolAnswer {
	readonly tool: string;
	readonly text: string;
	readonly isError: boolean;
}

/** The parent makes these calls in one message, then says `end`; resolves with their results, in the model's order. */
export async function ask(
	host: RpcTestHost,
	...calls: readonly ScriptedToolCall[]
): Promise<readonly ToolAnswer[]> {
	const from = host.events.length;
	const { events } = await host.prompt(script({ tools: calls }, { text: "end" }));
	const answers = toolAnswers(events);
	if (answers.length >= calls.length) return answers;
	// 0.73.1 may have run something of an extension first, and told the end of that.
	const late = (): readonly ToolAnswer[] => toolAnswers(host.events.slice(from));
	await expect.poll(() => late().length, { timeout: 30_000 }).toBeGreaterThanOrEqual(calls.length);
	await atRest(host);
	return late();
}

/** {@link ask} with one call, and its result. */
export async function askOne(host: RpcTestHost, call: ScriptedToolCall): Promise<ToolAnswer> {
	const [answer] = await ask(host, call);
	if (answer === undefined) throw new Error(`The call of ${call.name} has no result.`);
	return answer;
}

/** The results of the tools in these events, in the order in which the model gets them. */
export function toolAnswers(events: PromptResult["events"]): readonly ToolAnswer[] {
	return events.flatMap((event) => {
		const message = endedMessage(event);
		if (message?.role !== "toolResult") return [];
		const { toolName, content, isError } = message;
		return [{ tool: String(toolName), text: textOf(content), isError: isError === true }];
	});
}

type Message = Readonly<Record<string, unknown>>;

function endedMessage(event: HostLine): Message | undefined {
	if (event.type !== "message_end") return undefined;
	const { message } = event;
	return typeof message === "object" && message !== null ? { ...message } : undefined;
}

/** The text of a message's content. */
export function textOf(content: unknown): string {
	if (typeof content === "string") return content;
	if (!Array.isArray(content)) return "";
	return content
		.map((part: unknown) =>
			typeof part === "object" && part !== null && "text" in part ? String(part.text) : "",
		)
		.join("\n");
}

/** The id that a result tells the model. */
export function agentId(text: string | undefined): string {
	const id = /^agent_id: (\S+)$/m.exec(text ?? "")?.[1];
	if (id === undefined) throw new Error(`There is no agent_id in: ${text}`);
	return id;
}

/** The ids of all agents that the parent of this request was told of, in that order; for scripts that go on with them. */
export function startedAgents(request: ModelRequest): readonly string[] {
	const told = toolResults(request).filter((text) => text.startsWith("agent_id: "));
	return [...new Set(told.map(agentId))];
}

/** A call of the tool that reads results. */
export function read(id?: string, more: object = {}): ScriptedToolCall {
	return {
		name: "get_subagent_result",
		args: { ...(id !== undefined && { agent_id: id }), ...more },
	};
}

/** A call of the tool that stops. */
export function stop(id: string): ScriptedToolCall {
	return { name: "stop_subagent", args: { agent_id: id } };
}

/** A call of the tool that sends messages. */
export function steer(id: string, message: string): ScriptedToolCall {
	return { name: "steer_subagent", args: { agent_id: id, message } };
}

/** A call of `bash`. */
export function bash(command: string): ScriptedToolCall {
	return { name: "bash", args: { command } };
}

/**
 * The notifications in these events. A host tells of a message that it adds at the end of a run only as an entry of its
 * session, and of others as both.
 */
export function notifications(events: readonly HostLine[]): readonly string[] {
	const texts = events.flatMap((event) => {
		const message =
			event.type === "entry_appended" ? { ...Object(event.entry) } : endedMessage(event);
		const isOurs = message?.customType === "subagent-notification";
		return isOurs ? [textOf(message?.content)] : [];
	});
	return [...new Set(texts)];
}

/** The notifications that the model sees in a request. */
export function notificationsIn(request: ModelRequest | undefined): readonly string[] {
	return (request?.messages ?? [])
		.filter(({ role }: ChatMessage) => role === "user")
		.map(({ content }) => textOf(content))
		.filter((text) => /^(A background agent has|\d+ background agents have) ended\b/.test(text));
}

/** Resolves with the first notification from the event `from` on, when the run that it started is over. */
export async function wakeUp(host: RpcTestHost, from: number): Promise<string> {
	const told = await host.waitFor((event) => notifications([event]).length > 0, from);
	await host.waitFor(({ type }) => type === "agent_end", host.events.indexOf(told));
	await atRest(host);
	return notifications([told])[0] ?? "";
}

/** The request number `index`, from 0, of the agent whose task begins so. */
export function requestOf(world: ChildWorld, name: string, index = 0): Promise<ModelRequest> {
	return world.server.waitForRequest(
		(request) => requestsOf(world.server, name).indexOf(request) === index,
	);
}

/** Resolves when the host says that nothing is going on. */
export async function atRest(host: RpcTestHost): Promise<void> {
	await expect
		.poll(async () => (await host.send({ type: "get_state" })).data, { timeout: 30_000 })
		.toMatchObject({ isStreaming: false, isCompacting: false });
}

/** The file of the session that is open. */
export async function sessionFile(host: RpcTestHost): Promise<string> {
	const { data } = await host.send({ type: "get_state" });
	const state: { sessionFile?: unknown } = { ...(data as object) };
	return String(state.sessionFile);
}

/** Resolves when no process has this id any more. */
export async function processGone(pid: number): Promise<void> {
	await expect.poll(() => isAlive(pid), { timeout: 30_000 }).toBe(false);
}

/** Whether a process has this id. */
export function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch {
		return false;
	}
}
