import type { ExtensionContext } from "@mariozechner/pi-coding-agent";
import type { AgentRecord, StopReason } from "@pi-subagents/core";
import type { Answers, Result, ScopedParts } from "./answers.js";
import { findLoss } from "./child/conversation.js";
import { endedInTime } from "./ended-in-time.js";
import { inheritConversation, TASK_BORDER } from "./inherited-context.js";
import { contextFromLaunch, decide, resolveCall } from "./invocation.js";
import { takeParentSnapshot } from "./parent-snapshot.js";
import { placed } from "./placed.js";
import { headline } from "./report.js";
import { mayStart } from "./scope.js";
import type { SpawnRequest } from "./service/events.js";
import { askExtensions } from "./spawning.js";
import type { SubagentCall } from "./tools/subagent-tool.js";
import { type AgentView, failedResult, textResult } from "./tools/tool-result.js";
import { sessionLimit, treeLimit } from "./tree-limit.js";

/** An agent that was started or resumed, and what to say about the call. */
export interface Begun {
	readonly record: AgentRecord;
	readonly background: boolean;
	readonly notes: readonly string[];
}

type Progress = (view: AgentView, text: string) => void;

/** How a run is begun that nobody waits for. */
export interface BeginOptions {
	/** Whether the parent is told of its end, and woken for it. */
	readonly announce: boolean;
}

/** How agents are started, resumed and waited for. */
export interface Delegation {
	/** Starts an agent in the background, or gives an ended one a further task, or says why not. */
	begin(
		call: SubagentCall,
		ctx: ExtensionContext,
		signal: AbortSignal | undefined,
		options: BeginOptions,
	): Promise<Begun | Result>;
	/** Starts an agent, or gives an ended one a further task; a foreground run is waited for. */
	delegate(
		call: SubagentCall,
		ctx: ExtensionContext,
		signal: AbortSignal | undefined,
		onProgress: Progress,
	): Promise<Result>;
}

/** The delegation of one scope. */
export function createDelegation(parts: ScopedParts, answers: Answers): Delegation {
	const { pi, manager, book, activities, catalog, boundary, surroundings, clock, scope } = parts;

	/** Who waits for a foreground agent is gone: a turn of the main session, or the agent above. */
	const stoppedBy: StopReason = scope.parentId === undefined ? "turn_interrupted" : "parent";

	async function delegate(
		call: SubagentCall,
		ctx: ExtensionContext,
		signal: AbortSignal | undefined,
		onProgress: Progress,
	): Promise<Result> {
		const begun = await begin(call, ctx, signal, { announce: true });
		if ("content" in begun) return begun;
		if (!begun.background) return follow(begun, onProgress, signal);
		const { record, notes } = begun;
		// A place that cannot be made is a failure of the call, and not news for later.
		const isolated = book.get(record.id)?.launch.isolation === "worktree";
		if (isolated) await placed(record, manager, clock, signal);
		return record.isTerminal ? answers.ended(record, notes) : started(begun);
	}

	async function begin(
		call: SubagentCall,
		ctx: ExtensionContext,
		signal: AbortSignal | undefined,
		options: BeginOptions,
	): Promise<Begun | Result> {
		if (call.prompt.trim() === "") {
			return failedResult("The prompt is empty; say what the agent has to do.");
		}
		const begun =
			call.resume === undefined
				? await start(call, ctx, signal, options)
				: await resume(call, call.resume, ctx, signal, options);
		if (!("content" in begun) && begun.background && options.announce) {
			boundary.expectBackgroundEnd();
		}
		return begun;
	}

	async function start(
		call: SubagentCall,
		ctx: ExtensionContext,
		signal: AbortSignal | undefined,
		{ announce }: BeginOptions,
	): Promise<Begun | Result> {
		const parent = takeParentSnapshot(pi, ctx, parts.settings().sharedExtensions, scope.handedDown);
		const branch = call.inherit_context === false ? [] : ctx.sessionManager.getBranch();
		const registry = ctx.modelRegistry;
		await parts.refreshTypes();
		const found = catalog.find(call.subagent_type);
		if ("problem" in found) return failedResult(found.problem);
		const { entry, definition } = found;
		if (!mayStart(scope, definition.name)) {
			const allowed = scope.types.join(", ");
			return failedResult(
				`You may not start ${definition.name}; you may start ${allowed}. Use one of those, or do the task yourself.`,
			);
		}
		const settings = parts.settings();
		const resolved = await resolveCall(call, entry, definition, { settings, parent, registry });
		if ("problem" in resolved) return failedResult(resolved.problem);

		const { launch, notes } = resolved;
		// Who waits inside a foreground run must not end before what it started.
		const background = resolved.background && scope.parentId === undefined;
		const inherited = inheritConversation(resolved.inheritContext ? branch : [], {
			how: settings.inheritedContext,
			model: resolved.context.model,
		});
		const veto = await askOthers(
			{
				type: definition.name,
				description: call.description.trim() || definition.name,
				prompt: call.prompt,
				cwd: launch.cwd,
				model: launch.model,
				isolation: launch.isolation,
				background,
				parentSessionId: parent.sessionId,
			},
			signal,
		);
		if (veto !== undefined) return failedResult(`${definition.name} was not started: ${veto}.`);
		// Looked at last, so that calls at the same time do not slip through together.
		const limit = treeLimit(manager, scope, settings);
		if (limit !== undefined) return failedResult(limit);
		// The note has to be there before anybody hears of the agent.
		const stopListening = manager.subscribe((event) => {
			if (event.type === "agent_created") book.open(event.record, launch, background && announce);
		});
		try {
			const id = manager.spawn({
				type: definition.name,
				description: call.description.trim() || definition.name,
				prompt: inherited.messages.length > 0 ? `${TASK_BORDER}\n\n${call.prompt}` : call.prompt,
				context: { ...resolved.context, inherited: inherited.messages },
				background,
				...launch,
				...(scope.parentId !== undefined && { parentId: scope.parentId }),
				// A background agent outlives the turn that started it.
				...(signal && !background && { signal, stoppedBy }),
			});
			const foreground =
				resolved.background && !background
					? ["It ran in the foreground: only the main session has a background."]
					: [];
			return begun(id, background, [...notes, ...inherited.notes, ...foreground]);
		} finally {
			stopListening();
		}
	}

	async function resume(
		call: SubagentCall,
		id: string,
		ctx: ExtensionContext,
		signal: AbortSignal | undefined,
		{ announce }: BeginOptions,
	): Promise<Begun | Result> {
		const record = answers.find(id);
		const note = book.get(id);
		if (record === undefined || note === undefined) return answers.unknown(id);
		if (!record.isTerminal) return busy(record);
		const refuse = (why: string): Result => refused(record, `${id} cannot go on: ${why}`);
		const parent = takeParentSnapshot(pi, ctx, parts.settings().sharedExtensions, scope.handedDown);
		const registry = ctx.modelRegistry;
		await parts.refreshTypes();
		const found = catalog.find(record.type);
		if ("problem" in found) return refuse(found.problem);
		const { entry, definition } = found;
		const turns = decide({ max_turns: call.max_turns }, entry, definition, parts.settings());
		if (!turns.ok) return refuse(turns.message);
		const { max_turns: maxTurns } = turns.invocation;
		const neverStarted = record.outcome?.neverStarted === true;
		const lost = neverStarted ? undefined : await findLoss(record, surroundings.unstored);
		if (lost !== undefined) return refuse(`${lost}. Start a new agent.`);
		const context = contextFromLaunch(note.launch, definition, {
			parent,
			registry,
			settings: parts.settings(),
		});
		if ("problem" in context) return refuse(context.problem);

		const background = (call.run_in_background ?? false) && scope.parentId === undefined;
		const untold = book.isUntold(record)
			? [`Its last run ended so: ${headline(record, clock.now())}`]
			: [];
		const veto = await askOthers(
			{
				type: definition.name,
				description: record.description,
				prompt: call.prompt,
				cwd: note.launch.cwd,
				model: note.launch.model,
				isolation: note.launch.isolation,
				background,
				parentSessionId: parent.sessionId,
				resume: id,
			},
			signal,
		);
		if (veto !== undefined) return refuse(`${veto}.`);
		const spent = sessionLimit(manager, parts.settings());
		if (spent !== undefined) return refuse(`${spent.detail}. Do not try again; tell the user.`);
		const lastRun = record.runCount;
		const { limits } = note.launch;
		const answer = manager.resume(id, {
			prompt: call.prompt,
			context,
			background,
			limits:
				maxTurns.source.kind === "call" ? { ...limits, maxTurns: maxTurns.value ?? 0 } : limits,
			...(signal && !background && { signal, stoppedBy }),
		});
		if (answer !== "started") return busy(record);
		book.reopen(record, background && announce, lastRun);
		return begun(id, background, [
			...untold,
			...(neverStarted ? ["It had never started, so it knows no other task than this one."] : []),
			...turns.ignored.map(({ reason }) => reason),
			...ignoredByResume(call),
		]);
	}

	/** The error about an agent that is known. */
	function refused(record: AgentRecord, text: string): Result {
		return failedResult(`agent_id: ${record.id}\n${text}`, answers.view(record));
	}

	function busy(record: AgentRecord): Result {
		const { id } = record;
		return record.isTerminal
			? refused(record, `${id} cannot go on: it is still ending. Try again in a moment.`)
			: refused(
					record,
					`${id} is ${record.status}. Send it a message with steer_subagent, or wait for its end.`,
				);
	}

	/** Asks the other extensions of the main session, also for an agent further down. */
	function askOthers(
		request: Omit<SpawnRequest, "depth" | "parentId">,
		signal: AbortSignal | undefined,
	): Promise<string | undefined> {
		const { parentId, depth } = scope;
		const parent = parentId === undefined ? {} : { parentId };
		const seconds = parts.settings().vetoSeconds;
		const whole = { ...request, ...parent, depth: depth + 1 };
		return askExtensions(parts.mainBus(), whole, { seconds, clock, signal });
	}

	function begun(id: string, background: boolean, notes: readonly string[]): Begun {
		const record = manager.getRecord(id);
		if (record === undefined) throw new Error(`The agent ${id} was not made.`);
		return { record, background, notes };
	}

	function started({ record, notes }: Begun): Result {
		const state = record.status === "queued" ? "is queued" : "has started";
		const text = [
			`agent_id: ${record.id}`,
			`${record.type} "${record.description}" ${state} in the background.`,
			...notes.map((note) => `Note: ${note}`),
			"You are told when it ends. Until then do other work or end your turn; do not do its task yourself.",
		];
		return textResult(text.join("\n"), answers.view(record));
	}

	/** Waits for a foreground run and tells its progress meanwhile. */
	async function follow(
		{ record, notes }: Begun,
		onProgress: Progress,
		signal: AbortSignal | undefined,
	): Promise<Result> {
		const report = (): void => {
			const view = answers.view(record);
			onProgress(view, `agent_id: ${record.id}\n${view.activity ?? view.statusText}`);
		};
		report();
		const stop = activities.subscribe(report);
		const over = await endedInTime(record.id, manager, clock, signal);
		stop();
		if (over) return answers.ended(record, notes);
		const lines = [`agent_id: ${record.id}`, headline(record, clock.now()), "It is still ending."];
		return textResult(lines.join("\n"), answers.view(record));
	}

	return {
		begin: (...args) => begin(...args).catch(asResult),
		delegate: (...args) => delegate(...args).catch(asResult),
	};
}

/** Thrown for what the caller can mend, such as a negative limit. */
function asResult(error: unknown): Result {
	return failedResult(error instanceof Error ? error.message : String(error));
}

/** Parameters that a resumed agent takes from its first start. */
function ignoredByResume(call: SubagentCall): readonly string[] {
	const fixed = ["model", "thinking", "isolation", "isolated", "cwd", "inherit_context"] as const;
	return fixed
		.filter((name) => call[name] !== undefined && call[name] !== false && call[name] !== "none")
		.map((name) => `${name} has no effect on a resumed agent.`);
}
