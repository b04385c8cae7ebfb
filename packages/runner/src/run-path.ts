import type { StopReason, WorkspaceReport } from "@pi-subagents/core";
import { addAbortListener } from "./abort-listener.js";
import type { ActiveRun, AgentEntry, RunRequest } from "./agent-entry.js";
import { attempt, type RunParts } from "./attempt.js";
import { LimitReached, type ReachedLimit, toError, toStopReason } from "./ending.js";
import { createInbox } from "./inbox.js";
import type { Lanes } from "./lanes.js";
import type { StopAnswer } from "./manager-options.js";
import { withResolvers } from "./promises.js";
import type { RunResult } from "./run-options.js";

/** The one way that every run goes: asked for, queued, executed, ended. */
export interface RunPath<Context> {
	/** A promise from now on, and a slot now or later. The agent must have no run. */
	begin(agent: AgentEntry<Context>, request: RunRequest, resumed: boolean): void;
	/** The record says it at once; `run.ended` tells when the run is really over. */
	stop(agent: AgentEntry<Context>, by: StopReason): StopAnswer;
	/** The record says it when the run is over. */
	cutOff(agent: AgentEntry<Context>, limit: ReachedLimit): StopAnswer;
}

/** A path whose runs wait in `lanes`. */
export function createRunPath<Context>(parts: RunParts<Context>, lanes: Lanes): RunPath<Context> {
	const { clock, events, options, sessions } = parts;

	function begin(agent: AgentEntry<Context>, request: RunRequest, resumed: boolean): void {
		const { promise: ended, resolve: resolveEnded } = withResolvers();
		const { signal } = request;
		const onAbort = (): void => void stop(agent, toStopReason(signal?.reason, request.stoppedBy));
		const run: ActiveRun = {
			inbox: createInbox(agent.unread),
			controller: new AbortController(),
			ended,
			resolveEnded,
			request,
			resumed,
			stopListening: () => {},
			slot: undefined,
		};
		agent.unread = [];
		agent.run = run;
		events.emit({ type: resumed ? "agent_resumed" : "agent_created", record: agent.record });
		// Whoever was told may have stopped it.
		if (agent.run !== run) return;
		if (signal?.aborted) {
			onAbort();
			return;
		}
		if (signal) run.stopListening = addAbortListener(signal, onAbort);

		const start = (): void => void execute(agent, run);
		if (request.bypassQueue) start();
		else {
			const { parentId } = agent.spawn;
			const lane = { background: request.background ?? false, parentId };
			run.slot = lanes.request(lane, start);
		}
	}

	function stop(agent: AgentEntry<Context>, by: StopReason, detail?: string): StopAnswer {
		const { record, run } = agent;
		if (run === undefined || record.isTerminal) return "already_ended";
		const queued = record.status === "queued";
		const outcome = {
			status: "stopped",
			reason: by,
			...(detail !== undefined && { detail }),
			...(queued && { neverStarted: true }),
		} as const;
		record.markEnded({ outcome }, clock.now());
		if (queued) {
			agent.unread = run.inbox.takeUnread();
			finish(agent, run, undefined);
			return "stopped";
		}
		events.emit({ type: "run_stopping", record });
		run.controller.abort(by);
		return "stopping";
	}

	function cutOff(agent: AgentEntry<Context>, limit: ReachedLimit): StopAnswer {
		if (agent.record.status === "queued") return stop(agent, "program", limit.detail);
		if (agent.run === undefined || agent.record.isTerminal) return "already_ended";
		agent.run.controller.abort(new LimitReached(limit));
		return "stopping";
	}

	/** Never rejects. */
	async function execute(agent: AgentEntry<Context>, run: ActiveRun): Promise<void> {
		const { record } = agent;
		record.markRunning(clock.now());
		events.emit({ type: "run_started", record });
		let result: RunResult | undefined;
		let failure: Error | undefined;
		try {
			result = await attempt(agent, run, parts);
			agent.workspace = result.workspace ?? agent.workspace;
			if (result.workspaceLater) agent.saving = keepSaving(agent, result.workspaceLater);
			// A resume that got no session leaves the last one as it was.
			agent.session = result.session ?? agent.session;
			agent.unread = result.unreadMessages;
		} catch (error) {
			failure = toError(error);
		}
		const keep = (options.keepSessions ?? true) && !result?.unresponsive;
		if (!keep) await sessions.close(agent);
		const outcome = result?.outcome ?? {
			status: "error" as const,
			reason: "failed" as const,
			detail: failure?.message ?? "unknown error",
		};
		const error = outcome.status === "error" ? outcome.detail : undefined;
		record.markEnded({ outcome, result: result?.text, error }, clock.now());
		finish(agent, run, result);
	}

	/** What becomes of a workspace after its run is kept like everything else. */
	async function keepSaving(
		agent: AgentEntry<Context>,
		later: Promise<WorkspaceReport>,
	): Promise<void> {
		agent.workspace = await later;
		agent.saving = undefined;
		events.emit({ type: "workspace_saved", record: agent.record });
	}

	/** The one way out, also for a run that never started. */
	function finish(agent: AgentEntry<Context>, run: ActiveRun, result: RunResult | undefined): void {
		run.inbox.close();
		run.stopListening();
		agent.run = undefined;
		// Told before the slot is free, so that no subscriber sees more runs than there are slots.
		events.emit({ type: "run_ended", record: agent.record, result });
		run.slot?.release();
		run.resolveEnded();
	}

	return { begin, stop, cutOff };
}
