import type { AgentToolResult } from "@mariozechner/pi-agent-core";
import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import type { AgentRecord } from "@pi-subagents/core";
import type { AgentManager, Clock } from "@pi-subagents/runner";
import type { AgentBook } from "./agent-book.js";
import { descendantsOf } from "./agent-tree.js";
import { agentView } from "./agent-view.js";
import type { AgentCatalog } from "./catalog.js";
import type { EventBus } from "./child/child-events.js";
import type { ChildContext, ChildSurroundings } from "./child/child-session.js";
import { type Ledger, subtreeUsage } from "./cost.js";
import type { StallWarnings } from "./delivery/stall-warnings.js";
import { plural, usageText } from "./format.js";
import type { ParentBoundary } from "./host/parent-boundary.js";
import type { HostUsageEntry } from "./host/session-usage.js";
import { type ReportExtras, reportText } from "./report.js";
import { isInScope, type Scope } from "./scope.js";
import type { Settings } from "./settings.js";
import { type AgentView, failedResult, type ToolDetails, textResult } from "./tools/tool-result.js";
import type { ActivityStore } from "./ui/activity-store.js";
import type { Untold } from "./untold.js";
import type { Warnings } from "./warnings.js";

/** What every tool of this extension returns. */
export type Result = AgentToolResult<ToolDetails> & {
	/** What agents used, for the totals of the session (pi 1.x). */
	readonly usage?: HostUsageEntry;
};

/** The parts of one parent session that its tools are made of. */
export interface SubagentsParts {
	readonly manager: AgentManager<ChildContext>;
	readonly book: AgentBook;
	readonly activities: ActivityStore;
	readonly catalog: AgentCatalog;
	readonly boundary: Pick<ParentBoundary, "expectBackgroundEnd">;
	readonly surroundings: ChildSurroundings;
	readonly settings: () => Settings;
	/** Where the other extensions of the main session are asked. */
	readonly mainBus: () => EventBus;
	/** What is wrong in agents. */
	readonly warnings: Warnings;
	/** Which agents are silent. */
	readonly stalls: Pick<StallWarnings, "of">;
	/** Looks for agent files that changed. */
	readonly refreshTypes: () => Promise<void>;
	/** What the person could not be told. */
	readonly untold: Untold;
	readonly clock: Clock;
}

/** The parts, and who uses them. */
export interface ScopedParts extends SubagentsParts {
	/** Of the session that has the tools. */
	readonly pi: ExtensionAPI;
	readonly scope: Scope;
	/** What that session has been charged with. */
	readonly ledger: Ledger;
}

/** The results that the tools of one scope have in common. */
export interface Answers {
	/** The agent, if it is there and in scope. */
	find(id: string): AgentRecord | undefined;
	view(record: AgentRecord): AgentView;
	/** The result that tells the parent how a run ended, which it then knows. */
	ended(record: AgentRecord, notes?: readonly string[]): Result;
	/** The error for an id that is not there. */
	unknown(id: string): Result;
}

/** What else the parent is told of a run. */
export function reportExtras(
	{ manager, warnings }: Pick<SubagentsParts, "manager" | "warnings">,
	record: AgentRecord,
	notes: readonly string[] = [],
): ReportExtras {
	const workspace = manager.getWorkspace(record.id)?.text;
	return {
		unreadMessages: manager.getUnreadMessages(record.id),
		workspace,
		notes: [...notes, ...warnings.of(record), ...treeNote(manager, record)],
	};
}

/** What the agents below have used together with the one that is told of. */
function treeNote(manager: AgentManager<ChildContext>, record: AgentRecord): readonly string[] {
	const below = descendantsOf(manager, record).length;
	if (below === 0) return [];
	const used = usageText(subtreeUsage(manager, record));
	return [`With the ${plural(below, "agent")} below it, it used ${used}.`];
}

/** The answers of one scope. */
export function createAnswers(parts: ScopedParts): Answers {
	const { manager, book, activities, clock, scope } = parts;
	const view = (record: AgentRecord): AgentView =>
		agentView(record, clock.now(), activities.get(record.id));
	const inScope = (record: AgentRecord): boolean => isInScope(scope, record);
	return {
		find: (id) => [manager.getRecord(id)].find((record) => record && inScope(record)),
		view,
		ended(record, notes) {
			const text = reportText(record, clock.now(), reportExtras(parts, record, notes));
			book.markTold(record);
			return record.status === "error"
				? failedResult(text, view(record))
				: textResult(text, view(record));
		},
		unknown(id) {
			const known = manager
				.listAgents()
				.filter(inScope)
				.map((record) => `${record.id} (${record.type})`);
			const list =
				known.length > 0 ? `Known agents: ${known.join(", ")}.` : "There are no agents yet.";
			return failedResult(`There is no agent ${JSON.stringify(id)}. ${list}`);
		},
	};
}
