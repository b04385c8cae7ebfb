import type {
	ExtensionAPI,
	ExtensionContext,
	ExtensionUIContext,
} from "@mariozechner/pi-coding-agent";
import { getAgentDir } from "@mariozechner/pi-coding-agent";
import { type SharedTools, shareTools } from "./child/shared-tools.js";
import { type HostMode, hostMode, isProjectTrusted } from "./host/host-mode.js";
import { type InheritedModels, inheritModels } from "./host/models.js";
import { OWN_TOOLS } from "./own-tools.js";

/** The model of a session, as the host has it. */
export type HostModel = NonNullable<ExtensionContext["model"]>;

/**
 * What a child takes from its parent, read once when it is started: `pi` and `ctx` throw after `/reload` or `/new`, and
 * a queued child has to start as things were when it was asked for.
 */
export interface ParentSnapshot {
	readonly cwd: string;
	readonly agentDir: string;
	readonly model: HostModel | undefined;
	readonly thinkingLevel: ReturnType<ExtensionAPI["getThinkingLevel"]>;
	/** Names of the tools that the parent's model has, without this extension's. */
	readonly activeTools: readonly string[];
	/** The files of the extensions that its tools are from, by the names of the tools. */
	readonly toolOrigins: ReadonlyMap<string, string>;
	readonly sessionFile: string | undefined;
	readonly sessionId: string;
	readonly models: InheritedModels;
	readonly projectTrusted: boolean;
	readonly mode: HostMode;
	/** Where dialogs of the child's extensions are shown, which is always the main session; absent if nobody can answer. */
	readonly ui: ExtensionUIContext | undefined;
	/** The agents above the child, the topmost first, as dialogs name them. */
	readonly callers: readonly string[];
	/** Tools of the main session that the child uses there, if there are such. */
	readonly sharedTools: SharedTools | undefined;
}

/** What belongs to the main session and is the same on every level below it. */
export type HandedDown = Pick<
	ParentSnapshot,
	"ui" | "mode" | "projectTrusted" | "callers" | "sharedTools"
>;

/**
 * Reads everything now; nothing in the result is read again later. An agent hands on what it got itself: it has no UI of
 * its own, and its session does not know whether the project is trusted.
 */
export function takeParentSnapshot(
	pi: ExtensionAPI,
	ctx: ExtensionContext,
	sharedExtensions: readonly string[],
	handedDown?: HandedDown,
): ParentSnapshot {
	return Object.freeze({
		cwd: ctx.cwd,
		agentDir: getAgentDir(),
		model: ctx.model,
		thinkingLevel: pi.getThinkingLevel(),
		activeTools: pi.getActiveTools().filter((name) => !OWN_TOOLS.has(name)),
		toolOrigins: new Map(pi.getAllTools().map(({ name, sourceInfo }) => [name, sourceInfo.path])),
		sessionFile: ctx.sessionManager.getSessionFile(),
		sessionId: ctx.sessionManager.getSessionId(),
		models: inheritModels(ctx),
		projectTrusted: isProjectTrusted(ctx),
		mode: hostMode(ctx),
		ui: ctx.hasUI ? ctx.ui : undefined,
		callers: [],
		sharedTools: handedDown ? undefined : shareTools(pi, ctx, sharedExtensions),
		...handedDown,
	});
}
