import type { AgentToolResult } from "@mariozechner/pi-agent-core";
import type { ExtensionAPI, ExtensionContext } from "@mariozechner/pi-coding-agent";
import { SessionManager } from "@mariozechner/pi-coding-agent";
import type { AgentRecord, SessionMessage, StopReason } from "@pi-subagents/core";
import type { AgentManager, Clock, SpawnOptions } from "@pi-subagents/runner";
import type { AgentBook } from "./agent-book.js";
import { agentView } from "./agent-view.js";
import { boundText, explainBounds } from "./bounded-text.js";
import type { AgentCatalog } from "./catalog.js";
import type { ChildContext, ChildSurroundings } from "./child/child-session.js";
import { fenced } from "./delivery/notification.js";
import { formatStatus } from "./format.js";
import type { ParentBoundary } from "./host/parent-boundary.js";
import { contextFromLaunch, resolveCall } from "./invocation.js";
import { takeParentSnapshot } from "./parent-snapshot.js";
import { body, headline, type ReportExtras, reportText } from "./report.js";
import type { Settings } from "./settings.js";
import type { SubagentCall } from "./tools/subagent-tool.js";
import { type AgentView, failedResult, type ToolDetails, textResult } from "./tools/tool-result.js";
import { inheritedContext, transcriptText } from "./transcript-text.js";
import type { ActivityStore } from "./ui/activity-store.js";

type Result = AgentToolResult<ToolDetails>;

/** A request for an agent's report. */
export interface ReadRequest {
	readonly id: string;
	readonly wait: boolean;
	readonly timeoutSeconds: number | undefined;
	readonly verbose: boolean;
	/** Where the report goes on, in characters. */
	readonly offset: number;
}

/** What the tools and commands of one parent session do. */
export interface Subagents {
	/** Starts an agent, or gives an ended one a further task; a foreground run is waited for. */
	delegate(
		call: SubagentCall,
		ctx: ExtensionContext,
		signal: AbortSignal | undefined,
		onProgress: (view: AgentView, text: string) => void,
	): Promise<Result>;
	/** All agents and types. */
	list(): Promise<Result>;
	read(request: ReadRequest, signal: AbortSignal | undefined): Promise<Result>;
	steer(id: string, message: string): Promise<Result>;
	stop(id: string, by?: StopReason): Promise<Result>;
	/** What else the parent is told of a run. */
	extras(record: AgentRecord): ReportExtras;
}

/** What they are made of. */
export interface SubagentsParts {
	readonly pi: ExtensionAPI;
	readonly manager: AgentManager<ChildContext>;
	readonly book: AgentBook;
	readonly activities: ActivityStore;
	readonly catalog: AgentCatalog;
	readonly boundary: ParentBoundary;
	readonly surroundings: ChildSurroundings;
	readonly settings: () => Settings;
	readonly clock: Clock;
}

/** The actions of one parent session. */
export function createSubagents(parts: SubagentsParts): Subagents {
	const { pi, manager, book, activities, catalog, boundary, clock, surroundings } = parts;

	function extras(record: AgentRecord, notes: readonly string[] = []): ReportExtras {
		const workspace = manager.getWorkspace(record.id)?.text;
		return { unreadMessages: manager.getUnreadMessages(record.id), workspace, notes };
	}

	/** The result that tells the parent how a run ended, which it then knows. */
	function ended(record: AgentRecord, notes: readonly string[] = []): Result {
		const text = reportText(record, clock.now(), extras(record, notes));
		book.markTold(record);
		const view = agentView(record, clock.now());
		return record.status === "error" ? failedResult(text, view) : textResult(text, view);
	}

	function unknownAgent(id: string): Result {
		const known = manager.listAgents().map((record) => `${record.id} (${record.type})`);
		const list =
			known.length > 0 ? `Known agents: ${known.join(", ")}.` : "There are no agents yet.";
		return failedResult(`There is no agent ${JSON.stringify(id)}. ${list}`);
	}

	async function delegate(
		call: SubagentCall,
		ctx: ExtensionContext,
		signal: AbortSignal | undefined,
		onProgress: (view: AgentView, text: string) => void,
	): Promise<Result> {
		try {
			const id =
				call.resume === undefined
					? await start(call, ctx, signal)
					: resume(call, call.resume, ctx, signal);
			if (typeof id !== "string") return id;
			const record = recordOf(id);
			if (book.get(id)?.background) return started(record, notesOf(id));
			return await follow(record, onProgress, notesOf(id));
		} catch (error) {
			// Thrown for what the caller can mend, such as an empty prompt or a negative limit.
			return failedResult(error instanceof Error ? error.message : String(error));
		}
	}

	/** What to say about the parameters of a call, by agent. */
	const callNotes = new Map<string, readonly string[]>();

	function notesOf(id: string): readonly string[] {
		const notes = callNotes.get(id) ?? [];
		callNotes.delete(id);
		return notes;
	}

	function recordOf(id: string): AgentRecord {
		const record = manager.getRecord(id);
		if (record === undefined) throw new Error(`There is no agent ${id}.`);
		return record;
	}

	async function start(
		call: SubagentCall,
		ctx: ExtensionContext,
		signal: AbortSignal | undefined,
	): Promise<string | Result> {
		const parent = takeParentSnapshot(pi, ctx);
		const conversation = (): readonly SessionMessage[] => contextOf(ctx);
		await catalog.refresh();
		const found = catalog.find(call.subagent_type);
		if (found.definition === undefined) return failedResult(found.problem);
		const resolved = await resolveCall(
			call,
			found.definition,
			parts.settings(),
			parent,
			ctx.modelRegistry,
		);
		if ("problem" in resolved) return failedResult(resolved.problem);

		const background = resolved.background;
		const { launch } = resolved;
		const prefix = resolved.inheritContext ? inheritedContext(conversation()) : "";
		const spawn: SpawnOptions<ChildContext> = {
			type: found.definition.name,
			description: call.description.trim() || call.prompt.trim().slice(0, 60),
			prompt: prefix === "" ? call.prompt : `${prefix}\n\n${call.prompt}`,
			context: resolved.context,
			background,
			limits: launch.limits,
			isolation: launch.isolation,
			cwd: launch.cwd,
			// A background agent outlives the turn that started it.
			...(signal && !background && { signal }),
		};
		if (call.prompt.trim() === "")
			return failedResult("The prompt is empty; say what the agent has to do.");
		const stop = manager.subscribe((event) => {
			if (event.type === "agent_created") book.open(event.record, launch, background);
		});
		let id: string;
		try {
			id = manager.spawn(spawn);
		} finally {
			stop();
		}
		callNotes.set(id, resolved.notes);
		if (background) boundary.expectBackgroundEnd();
		return id;
	}

	function resume(
		call: SubagentCall,
		id: string,
		ctx: ExtensionContext,
		signal: AbortSignal | undefined,
	): string | Result {
		const record = manager.getRecord(id);
		const note = book.get(id);
		if (record === undefined || note === undefined) return unknownAgent(id);
		if (!record.isTerminal) {
			return failedResult(
				`Agent ${id} is ${record.status}. Send it a message with steer_subagent, or wait for its end.`,
				agentView(record, clock.now()),
			);
		}
		const found = catalog.find(record.type);
		if (found.definition === undefined) return failedResult(`${id} cannot go on: ${found.problem}`);
		if (record.sessionFile === undefined && !surroundings.unstored.has(id)) {
			return failedResult(
				`${id} cannot go on: its conversation was not stored. Start a new agent.`,
			);
		}
		const background = call.run_in_background ?? false;
		const untold = book.isUntold(record);
		const told = untold ? [`Its last run ended so: ${headline(record, clock.now())}`] : [];
		const lastRun = record.runCount;
		const answer = manager.resume(id, {
			prompt: call.prompt,
			context: contextFromLaunch(note.launch, found.definition, takeParentSnapshot(pi, ctx), ctx.modelRegistry),
			background,
			...(call.max_turns !== undefined && {
				limits: { ...note.launch.limits, maxTurns: call.max_turns },
			}),
			...(signal && !background && { signal }),
		});
		if (answer !== "started") {
			return failedResult(`Agent ${id} is still ending; try again in a moment.`);
		}
		book.reopen(record, background, lastRun);
		const ignored = (
			["model", "thinking", "isolation", "isolated", "cwd", "inherit_context"] as const
		).filter((name) => call[name] !== undefined && call[name] !== false && call[name] !== "none");
		const noted = ignored.map((name) => `${name} has no effect on a resumed agent.`);
		callNotes.set(id, [...told, ...noted]);
		if (background) boundary.expectBackgroundEnd();
		return id;
	}

	function started(record: AgentRecord, notes: readonly string[]): Result {
		const state = record.status === "queued" ? "is queued" : "has started";
		const text = [
			`agent_id: ${record.id}`,
			`${record.type} "${record.description}" ${state} in the background.`,
			...notes.map((note) => `Note: ${note}`),
			"You are told when it ends. Until then do other work or end your turn; do not do its task yourself.",
		];
		return textResult(text.join("\n"), agentView(record, clock.now(), activities.get(record.id)));
	}

	/** Waits for a foreground run and tells its progress meanwhile. */
	async function follow(
		record: AgentRecord,
		onProgress: (view: AgentView, text: string) => void,
		notes: readonly string[],
	): Promise<Result> {
		const report = (): void => {
			const view = agentView(record, clock.now(), activities.get(record.id));
			onProgress(view, `agent_id: ${record.id}\n${view.activity ?? view.statusText}`);
		};
		report();
		const stop = activities.subscribe(report);
		try {
			await manager.wait(record.id);
		} finally {
			stop();
		}
		return ended(record, notes);
	}

	async function list(): Promise<Result> {
		await catalog.refresh();
		const now = clock.now();
		const agents = manager.listAgents().map((record) => `- ${record.id}: ${headline(record, now)}`);
		const types = catalog.advertised().map(({ name, description }) => `- ${name}: ${description}`);
		const piece = boundText(
			[
				agents.length > 0 ? `Agents:\n${agents.join("\n")}` : "There are no agents yet.",
				`Types:\n${types.join("\n")}`,
			].join("\n\n"),
		);
		const rest = piece.to < piece.total ? `\n[${piece.total - piece.to} characters more.]` : "";
		return textResult(piece.text + rest);
	}

	async function read(request: ReadRequest, signal: AbortSignal | undefined): Promise<Result> {
		const record = manager.getRecord(request.id);
		if (record === undefined) return unknownAgent(request.id);
		const { timeoutSeconds } = request;
		if (timeoutSeconds !== undefined && timeoutSeconds < 0) {
			return failedResult(
				`timeout_seconds is ${timeoutSeconds}; it must be a number of 0 or more.`,
			);
		}
		if (request.wait && !record.isTerminal) {
			const waited = await waitFor(record, timeoutSeconds, signal);
			if (waited === "interrupted")
				return failedResult(
					`You stopped waiting; ${record.id} goes on.`,
					agentView(record, clock.now()),
				);
		}
		const view = agentView(record, clock.now(), activities.get(record.id));
		const conversation = request.verbose ? conversationText(record, request.offset) : undefined;
		if (!record.isTerminal) return textResult(notReady(record, view, conversation), view);
		if (conversation !== undefined) {
			book.markTold(record);
			return textResult(
				`${reportText(record, clock.now(), extras(record))}\n\n${conversation}`,
				view,
			);
		}
		if (request.offset > 0)
			return textResult(`agent_id: ${record.id}\n\n${body(record, request.offset)}`, view);
		return ended(record);
	}

	function notReady(
		record: AgentRecord,
		view: AgentView,
		conversation: string | undefined,
	): string {
		const doing = view.activity ? ` Now: ${view.activity}.` : "";
		return [
			`agent_id: ${record.id}`,
			`${headline(record, clock.now())}${doing}`,
			"You are told when it ends; do not poll.",
			...(conversation === undefined ? [] : ["", conversation]),
		].join("\n");
	}

	/** Waits for the end of a run, a time, or an interruption, whichever comes first. */
	async function waitFor(
		record: AgentRecord,
		seconds: number | undefined,
		signal: AbortSignal | undefined,
	): Promise<"ended" | "timeout" | "interrupted"> {
		const timeout = new AbortController();
		const cancel = seconds ? clock.setTimeout(() => timeout.abort(), seconds * 1000) : () => {};
		try {
			await manager.wait(record.id, AbortSignal.any([timeout.signal, ...(signal ? [signal] : [])]));
			return "ended";
		} catch {
			return signal?.aborted ? "interrupted" : "timeout";
		} finally {
			cancel();
		}
	}

	function conversationText(record: AgentRecord, offset: number): string {
		const messages = record.sessionFile
			? SessionManager.open(record.sessionFile).buildSessionContext().messages
			: (surroundings.unstored.get(record.id)?.buildSessionContext().messages ?? []);
		const piece = boundText(transcriptText(messages), offset);
		return fenced(explainBounds(piece, record.id).replace(/"offset"/, '"verbose":true,"offset"'));
	}

	async function steer(id: string, message: string): Promise<Result> {
		const record = manager.getRecord(id);
		if (record === undefined) return unknownAgent(id);
		if (message.trim() === "")
			return failedResult("The message is empty; say what the agent has to know.");
		const answer = await manager.steer(id, message).catch((error: unknown) => error);
		const view = agentView(record, clock.now(), activities.get(id));
		switch (answer) {
			case "delivered":
				return textResult(`${id} has the message and reads it after its current tool calls.`, view);
			case "kept":
				return textResult(
					`${id} is ${record.status} and not ready yet; it reads the message first.`,
					view,
				);
			case "ended":
				return failedResult(
					`${id} has already ended: ${formatStatus(record)}. Give it a further task with subagent and resume: "${id}".`,
					view,
				);
			default:
				return failedResult(`${id} did not take the message: ${String(answer)}.`, view);
		}
	}

	async function stop(id: string, by: StopReason = "parent"): Promise<Result> {
		const record = manager.getRecord(id);
		switch (record && manager.abort(id, by)) {
			case "already_ended":
				if (record)
					return failedResult(
						`${id} has already ended: ${formatStatus(record)}.`,
						agentView(record, clock.now()),
					);
				break;
			case "stopped":
			case "stopping":
				return ended(await manager.wait(id));
			default:
				break;
		}
		return unknownAgent(id);
	}

	return { delegate, list, read, steer, stop, extras };
}

function contextOf(ctx: ExtensionContext): readonly SessionMessage[] {
	const entries = ctx.sessionManager.getBranch();
	return entries.flatMap((entry): SessionMessage[] => {
		if (entry.type === "message") return [entry.message];
		if (entry.type === "compaction")
			return [{ role: "compactionSummary", ...{ summary: entry.summary } }];
		return [];
	});
}
