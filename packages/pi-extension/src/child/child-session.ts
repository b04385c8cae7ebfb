import { basename, dirname, extname, join } from "node:path";
import {
	type AgentSession,
	createAgentSession,
	DefaultResourceLoader,
	type ExtensionAPI,
	SessionManager,
	SettingsManager,
} from "@mariozechner/pi-coding-agent";
import type { AgentDefinition, ThinkingLevel } from "@pi-subagents/core";
import type { SessionRequest } from "@pi-subagents/runner";
import type { HostModel, ParentSnapshot } from "../parent-snapshot.js";
import { childDialogs, type DialogTurns } from "./child-dialogs.js";
import { childGuard } from "./child-guard.js";
import { asChild } from "./child-marker.js";
import { childInstructions } from "./child-prompt.js";
import { parentExtensionFiles } from "./parent-extensions.js";
import { type ToolRights, toolRights } from "./tool-rights.js";
import { type ChildSession, wrapSession } from "./wrapped-session.js";

/** What the session of one agent is made from; all decisions are taken. */
export interface ChildContext {
	readonly definition: AgentDefinition;
	readonly model: HostModel | undefined;
	readonly thinking: ThinkingLevel | undefined;
	/** No extension tools. */
	readonly isolated: boolean;
	readonly parent: ParentSnapshot;
}

/** What all children of one parent session share. */
export interface ChildSurroundings {
	readonly dialogTurns: DialogTurns;
	/** The conversations of agents whose parent session is not stored, by agent id. */
	readonly unstored: Map<string, SessionManager>;
	/** What gives a child the tools to start agents of its own; absent if it may not. */
	readonly delegation: (
		request: SessionRequest<ChildContext>,
	) => ((pi: ExtensionAPI) => void) | undefined;
	/** An extension failed inside a child. */
	readonly onExtensionError: (agent: string, extension: string, error: string) => void;
}

/** Makes the session of one run, or opens an agent's stored one again. */
export async function openChildSession(
	request: SessionRequest<ChildContext>,
	surroundings: ChildSurroundings,
): Promise<ChildSession> {
	const { context, cwd } = request;
	const { definition, parent } = context;
	const delegate = surroundings.delegation(request);
	const delegates = delegate !== undefined;
	const rights = toolRights(definition, context.isolated, parent.activeTools, delegates);
	const label = childLabel(request);
	const stored = storedSettings(cwd, parent);

	const loader = await loadResources(request, rights, delegate, stored);
	const { session } = await createAgentSession({
		cwd,
		agentDir: parent.agentDir,
		...parent.models,
		...(context.model && { model: context.model }),
		// 0.73.1 knows no `max`; the level was clamped to what the model has before.
		...(context.thinking && { thinkingLevel: context.thinking as ParentSnapshot["thinkingLevel"] }),
		...(rights.names && { tools: [...rights.names] }),
		sessionManager: openConversation(request, surroundings),
		settingsManager: settingsCopy(stored, parent),
		resourceLoader: loader,
	});
	try {
		await session.bindExtensions({
			...(parent.ui && {
				uiContext: childDialogs(parent.ui, label, surroundings.dialogTurns),
				mode: parent.mode,
			}),
			onError: ({ extensionPath, error }) =>
				surroundings.onExtensionError(label, extensionPath, error),
		});
		applyRights(session, rights);
		if (!request.resume) session.setSessionName(label);
	} catch (error) {
		session.dispose();
		throw error;
	}
	return wrapSession(session);
}

/** What dialogs and messages of a child begin with: its name, after those of the agents above it. */
export function childLabel({ context, record }: SessionRequest<ChildContext>): string {
	const { definition, parent } = context;
	const own = `${definition.displayName ?? definition.name}: ${record.description}`;
	return [...parent.callers, own].join(" > ");
}

function storedSettings(cwd: string, parent: ParentSnapshot): SettingsManager {
	// The third argument is pi 1.x's; 0.73.1 ignores it.
	const create: (
		cwd: string,
		agentDir: string,
		options: { projectTrusted: boolean },
	) => SettingsManager = SettingsManager.create;
	return create(cwd, parent.agentDir, { projectTrusted: parent.projectTrusted });
}

/** A copy, so that nothing that happens in a child changes the user's settings. */
function settingsCopy(stored: SettingsManager, parent: ParentSnapshot): SettingsManager {
	const project: Readonly<Record<string, unknown>> = { ...stored.getProjectSettings() };
	const merged: Record<string, unknown> = { ...stored.getGlobalSettings() };
	for (const [name, value] of Object.entries(project)) {
		const base = merged[name];
		merged[name] = isObject(base) && isObject(value) ? { ...base, ...value } : value;
	}
	// The second argument is pi 1.x's; 0.73.1 ignores it.
	const create: (settings: object, options: { projectTrusted: boolean }) => SettingsManager =
		SettingsManager.inMemory;
	return create(merged, { projectTrusted: parent.projectTrusted });
}

function isObject(value: unknown): value is object {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

async function loadResources(
	{ context, cwd, workspace }: SessionRequest<ChildContext>,
	rights: ToolRights,
	delegate: ((pi: ExtensionAPI) => void) | undefined,
	settingsManager: SettingsManager,
): Promise<DefaultResourceLoader> {
	const { definition, parent } = context;
	const instructions = childInstructions(definition, workspace?.notes ?? []);
	const replace = definition.promptMode === "replace";
	const noExtensions = definition.isolated === true || definition.extensions?.length === 0;
	const extensions = noExtensions
		? []
		: await parentExtensionFiles(cwd, parent.agentDir, settingsManager);
	const loader = new DefaultResourceLoader({
		cwd,
		agentDir: parent.agentDir,
		settingsManager,
		// Discovery would load this extension, too; the others are named one by one.
		noExtensions: true,
		additionalExtensionPaths: [...extensions],
		extensionFactories: [
			childGuard({
				agentName: definition.name,
				rights,
				workspace,
				parentCwd: parent.cwd,
				delegate,
			}),
		],
		noSkills: definition.skills?.length === 0,
		noPromptTemplates: true,
		noThemes: true,
		...(replace && { systemPromptOverride: () => instructions }),
		appendSystemPromptOverride: (base) => (replace ? [] : [...base, instructions]),
	});
	await asChild(() => loader.reload());
	return loader;
}

/** A file below the parent's session file, or a conversation in memory if the parent has none. */
function openConversation(
	{ context, cwd, record, resume }: SessionRequest<ChildContext>,
	{ unstored }: ChildSurroundings,
): SessionManager {
	const { sessionFile: parentFile } = context.parent;
	if (resume) {
		if (record.sessionFile !== undefined) {
			return SessionManager.open(record.sessionFile, dirname(record.sessionFile), cwd);
		}
		const kept = unstored.get(record.id);
		if (kept === undefined) throw new Error("its conversation was not stored, so it cannot go on");
		return kept;
	}
	if (parentFile === undefined) {
		const conversation = SessionManager.inMemory(cwd);
		unstored.set(record.id, conversation);
		return conversation;
	}
	const folder = join(dirname(parentFile), basename(parentFile, extname(parentFile)), "tasks");
	const conversation = SessionManager.create(cwd, folder);
	conversation.newSession({ parentSession: parentFile });
	return conversation;
}

function applyRights(session: AgentSession, rights: ToolRights): void {
	const names = session.getAllTools().map((tool) => tool.name);
	session.setActiveToolsByName(names.filter(rights.allows));
}
