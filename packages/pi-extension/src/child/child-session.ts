import type { AgentSession, ExtensionAPI, SessionManager } from "@mariozechner/pi-coding-agent";
import type { AgentDefinition, AgentRecord, ThinkingLevel } from "@pi-subagents/core";
import type { SessionRequest } from "@pi-subagents/runner";
import { createHostSession, startExtensions } from "../host/host-session.js";
import { copySettings, type SettingsReader } from "../host/settings-managers.js";
import type { InheritedMessage } from "../inherited-context.js";
import type { HostModel, ParentSnapshot } from "../parent-snapshot.js";
import { childDialogs, type DialogTurns } from "./child-dialogs.js";
import type { ChildAnnouncer, ChildEvent } from "./child-events.js";
import { asChild } from "./child-marker.js";
import { loadChildResources } from "./child-resources.js";
import { openConversation } from "./conversation.js";
import { awaitTools } from "./late-tools.js";
import { type ToolRights, toolRights } from "./tool-rights.js";
import { type ChildSession, wrapSession } from "./wrapped-session.js";

/** What the session of one agent is made from; all decisions are taken. */
export interface ChildContext {
	readonly definition: AgentDefinition;
	readonly model: HostModel | undefined;
	readonly thinking: ThinkingLevel | undefined;
	/** No extension tools. */
	readonly isolated: boolean;
	/** The directory that the agent is for; a workspace is a copy of what is there. */
	readonly cwd: string;
	/** Extensions that no child loads. */
	readonly excludedExtensions: readonly string[];
	readonly parent: ParentSnapshot;
	/** What a new conversation begins with. */
	readonly inherited: readonly InheritedMessage[];
}

/** What all children of one parent session share. */
export interface ChildSurroundings {
	readonly dialogTurns: DialogTurns;
	readonly readSettings: SettingsReader;
	/** The conversations that are in no file, or not whole, by agent id. */
	readonly unstored: Map<string, SessionManager>;
	/** What gives a child the tools to start agents of its own; absent if it may not. */
	readonly delegation: (
		request: SessionRequest<ChildContext>,
	) => ((pi: ExtensionAPI) => void) | undefined;
	readonly announce: ChildAnnouncer;
	readonly depthOf: (record: AgentRecord) => number;
	/** Something in a child is not as it should be: who, and what, as a clause without a full stop. */
	readonly onProblem: (record: AgentRecord, label: string, problem: string) => void;
}

/** Makes the session of one run, or opens an agent's stored one again. */
export async function openChildSession(
	request: SessionRequest<ChildContext>,
	surroundings: ChildSurroundings,
): Promise<ChildSession> {
	const { context, cwd, record, signal } = request;
	const { definition, parent } = context;
	const { announce, dialogTurns } = surroundings;
	const label = childLabel(request);
	const report = (problem: string): void => surroundings.onProblem(record, label, problem);
	const event = childEvent(request, surroundings.depthOf(record));
	announce.spawning(event);

	const delegate = surroundings.delegation(request);
	const delegates = delegate !== undefined;
	const rights = toolRights(definition, context.isolated, parent.activeTools, delegates);
	// A copy, so that nothing that happens in a child changes the settings of the user.
	const stored = surroundings.readSettings(cwd, parent.agentDir, parent);
	const settingsManager = copySettings(stored, parent);
	const resources = await loadChildResources({
		request,
		rights,
		delegate,
		settingsManager,
	});
	for (const problem of resources.problems) report(problem);
	for (const { path, error } of resources.errors) report(`the extension ${path} failed: ${error}`);

	const conversation = openConversation(request, surroundings.unstored, report);
	const session = await createHostSession({
		cwd,
		agentDir: parent.agentDir,
		models: parent.models,
		thinking: context.thinking,
		...(context.model && { model: context.model }),
		...(rights.names && { tools: [...rights.names] }),
		sessionManager: conversation,
		settingsManager,
		resourceLoader: resources.loader,
	});
	const child = wrapSession(session);
	let started = false;
	try {
		// Whoever is told now is told of its end, too, so it must not be too late already.
		signal.throwIfAborted();
		const { sessionId, sessionFile } = session;
		const created = { ...event, sessionId, ...(sessionFile !== undefined && { sessionFile }) };
		announce.created(created, resources.bus);
		started = true;
		await unlessAborted(
			asChild(() =>
				startExtensions(session, {
					mode: parent.mode,
					ui: parent.ui && childDialogs(parent.ui, label, dialogTurns, signal),
					onError: ({ extensionPath, error }) =>
						report(`the extension ${extensionPath} failed: ${error}`),
				}),
			),
			signal,
		);
		const loaded = resources.loader.getExtensions();
		const expectation = { definition, rights, parent, loaded };
		for (const problem of await awaitTools(session, expectation, signal)) report(problem);
		applyRights(session, rights);
		if (session.sessionName === undefined) session.setSessionName(label);
		announce.bound({ ...created, tools: session.getActiveToolNames() }, resources.bus);
	} catch (error) {
		// Extensions that never started have nothing to shut down.
		await (started ? child.dispose() : session.dispose());
		throw error;
	}
	return child;
}

function childEvent(
	{ context, cwd, record, resume }: SessionRequest<ChildContext>,
	depth: number,
): ChildEvent {
	const { id, type, description, parentId } = record;
	return {
		id,
		type,
		description,
		...(parentId !== undefined && { parentId }),
		depth,
		parentSessionId: context.parent.sessionId,
		cwd,
		resumed: resume,
	};
}

/** An extension may take for ever to start; a run that has to end does not wait for it. */
function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
	return new Promise((resolve, reject) => {
		const onAbort = (): void =>
			reject(new Error("The run was ended while its extensions started."));
		if (signal.aborted) onAbort();
		signal.addEventListener("abort", onAbort, { once: true });
		work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
	});
}

/** What dialogs and messages of a child begin with: its name, after those of the agents above it. */
export function childLabel({ context, record }: SessionRequest<ChildContext>): string {
	const { definition, parent } = context;
	const own = `${definition.displayName ?? definition.name}: ${record.description}`;
	return [...parent.callers, own].join(" > ");
}

function applyRights(session: AgentSession, rights: ToolRights): void {
	const names = session.getAllTools().map((tool) => tool.name);
	const allowed = names.filter(rights.allows);
	const active = session.getActiveToolNames();
	const isSame = allowed.length === active.length && active.every(rights.allows);
	// It makes the system prompt again.
	if (!isSame) session.setActiveToolsByName(allowed);
}
