import { subscribeRecordObserver } from "@pi-subagents/observers";
import type { ActiveRun, AgentEntry } from "./agent-entry.js";
import type { Clock } from "./clock.js";
import type { Emitter, ManagerEvent } from "./manager-events.js";
import type { AgentManagerOptions } from "./manager-options.js";
import { runAgent } from "./run-agent.js";
import type { RunOptions, RunResult } from "./run-options.js";
import type { SessionClosing } from "./session-closing.js";

/** What the runs of one manager share. */
export interface RunParts<Context> {
	readonly options: AgentManagerOptions<Context>;
	readonly clock: Clock;
	readonly graceSeconds: number;
	readonly events: Emitter<ManagerEvent>;
	readonly sessions: SessionClosing;
	readonly log: (message: string, error: unknown) => void;
}

/** The work of one run: its workspace, its session, and what the record learns of it. */
export function attempt<Context>(
	agent: AgentEntry<Context>,
	run: ActiveRun,
	parts: RunParts<Context>,
): Promise<RunResult> {
	const { record, spawn } = agent;
	const { events, sessions } = parts;
	const { workspaceSeconds, untimedTools } = parts.options;
	const cwd = spawn.cwd ?? process.cwd();
	const previous = agent.session;
	let stopObserving = (): void => {};

	return runAgent({
		prompt: run.request.prompt,
		description: record.description,
		limits: run.request.limits ?? {},
		signal: run.controller.signal,
		inbox: run.inbox,
		clock: parts.clock,
		graceSeconds: parts.graceSeconds,
		...(workspaceSeconds !== undefined && { workspaceSeconds }),
		...(untimedTools && { untimedTools }),
		...(spawn.isolation === "worktree" && { prepareWorkspace: workspaceOf(agent, cwd, parts) }),
		createSession: ({ signal, workspace }) =>
			run.resumed && previous !== undefined && workspace === undefined
				? Promise.resolve(previous)
				: parts.options.createSession({
						record,
						context: contextOf(agent),
						cwd: workspace?.cwd ?? cwd,
						...(workspace && { workspace }),
						signal,
						resume: run.resumed,
						...(previous && { previous }),
					}),
		onSessionCreated: (session) => {
			if (previous !== undefined && previous !== session) void sessions.dispose(record, previous);
			agent.session = session;
			record.setSessionFile(session.sessionFile ?? record.sessionFile);
			stopObserving = subscribeRecordObserver(session, record, {
				onCompact: (_, compaction) => events.emit({ type: "compacted", record, compaction }),
			});
			events.emit({ type: "session_created", record, session });
			spawn.onSessionCreated?.(session);
		},
	}).finally(() => stopObserving());
}

function workspaceOf<Context>(
	agent: AgentEntry<Context>,
	cwd: string,
	{ options }: RunParts<Context>,
): NonNullable<RunOptions["prepareWorkspace"]> {
	const { workspaces } = options;
	const { id, type, description } = agent.record;
	if (workspaces === undefined) {
		return () => Promise.reject(new Error('There is no provider for isolation "worktree".'));
	}
	return async (signal) => {
		// Two at once would get in each other's way in one directory.
		await agent.saving;
		return workspaces.prepare({
			agentId: id,
			type,
			description,
			cwd,
			signal,
			...(agent.workspace && { previous: agent.workspace }),
		});
	};
}

function contextOf<Context>(agent: AgentEntry<Context>): Context {
	// `undefined` may be the program's own choice of a context; a restored agent has none at all.
	return agent.context as Context;
}
