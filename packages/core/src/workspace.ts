import type { AgentDefinition } from "./agent-definition.js";
import type { AgentOutcome } from "./outcome.js";

/** What a workspace is asked for. */
export interface WorkspaceRequest {
	readonly agentId: string;
	readonly type: AgentDefinition["name"];
	readonly description: string;
	/** The absolute directory that the agent would work in without a workspace of its own. */
	readonly cwd: string;
	/** Aborts the preparation. */
	readonly signal: AbortSignal;
	/** What an earlier run of the same agent left, as its {@link WorkspaceReport} said. */
	readonly previous?: WorkspaceReport;
}

/** A place for one run to work in. */
export interface Workspace {
	/** The absolute directory that the agent works in. */
	readonly cwd: string;
	/** The absolute directory that it may write below. */
	readonly root: string;
	/** What the agent has to know about the place, one sentence each. */
	readonly notes: readonly string[];
	/**
	 * Ends the use of the place after the run. Never rejects: what failed is in the report, and nothing that the agent
	 * made is deleted unless it is safe elsewhere.
	 */
	finish(end: WorkspaceEnd): Promise<WorkspaceReport>;
}

/** How the run ended that a workspace was for. */
export interface WorkspaceEnd {
	readonly outcome: AgentOutcome;
	readonly description: string;
}

/** What became of a workspace; plain JSON. */
export interface WorkspaceReport {
	/** For the parent's model and for people: what was kept where, and the commands to get at it. */
	readonly text: string;
	/** The directory, if it still exists. */
	readonly directory?: string;
	readonly branch?: string;
	readonly base?: string;
	/** Whether there is work that the caller has to look at. */
	readonly changed: boolean;
	/** What did not work, one sentence each. */
	readonly problems: readonly string[];
}

/** Gives runs a place of their own to work in. */
export interface WorkspaceProvider {
	/**
	 * Rejects with a clear sentence if the place cannot be made; the run then fails, it never falls back to the
	 * caller's directory.
	 */
	prepare(request: WorkspaceRequest): Promise<Workspace>;
}
