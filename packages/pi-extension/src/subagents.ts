import type { AgentToolResult } from "@mariozechner/pi-agent-core";
import type { ExtensionAPI, ExtensionContext } from "@mariozechner/pi-coding-agent";
import type { AgentRecord, StopReason } from "@pi-subagents/core";
import type { AgentManager, Clock } from "@pi-subagents/runner";
import type { AgentBook } from "./agent-book.js";
import { agentView } from "./agent-view.js";
import type { AgentCatalog } from "./catalog.js";
import type { ChildContext, ChildSurroundings } from "./child/child-session.js";
import { createDelegation } from "./delegation.js";
import { formatStatus } from "./format.js";
import type { ParentBoundary } from "./host/parent-boundary.js";
import { createReading, type ReadRequest } from "./reading.js";
import { type ReportExtras, reportText } from "./report.js";
import { isInScope, type Scope } from "./scope.js";
import type { Settings } from "./settings.js";
import type { SubagentCall } from "./tools/subagent-tool.js";
import { type AgentView, failedResult, type ToolDetails, textResult } from "./tools/tool-result.js";
import type { ActivityStore } from "./ui/activity-store.js";

/** What every tool of this extension returns. */
export type Result = AgentToolResult<ToolDetails>;

/** What the tools of one scope do. */
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
}

/** What they are made of: the parts of one parent session. */
export interface SubagentsParts {
	readonly manager: AgentManager<ChildContext>;
	readonly book: AgentBook;
	readonly activities: ActivityStore;
	readonly catalog: AgentCatalog;
	readonly boundary: Pick<ParentBoundary, "expectBackgroundEnd">;
	readonly surroundings: ChildSurroundings;
	readonly settings: () => Settings;
	/** Looks for agent files that changed. */
	readonly refreshTypes: () => Promise<void>;
	readonly clock: Clock;
}

/** The parts, and who uses them. */
export interface ScopedParts extends SubagentsParts {
	/** Of the session that has the tools. */
	readonly pi: ExtensionAPI;
	readonly scope: Scope;
}

/** What the parts of a scope have in common. */
export interface Answers {
	/** The agent, if it is there and in scope. */
	find(id: string): AgentRecord | undefined;
	view(record: AgentRecord): AgentView;
	/** The result that tells the parent how a run ended, which it then knows. */
	ended(record: AgentRecord, notes?: readonly string[]): Result;
	/** The error for an id that is not there. */
	unknown(id: string): Result;
}

/** The tools' actions for one scope. */
export function createSubagents(parts: ScopedParts): Subagents {
	const { manager } = parts;
	const answers = createAnswers(parts);
	const delegation = createDelegation(parts, answers);
	const reading = createReading(parts, answers);

	async function steer(id: string, message: string): Promise<Result> {
		const record = answers.find(id);
		if (record === undefined) return answers.unknown(id);
		if (message.trim() === "") {
			return failedResult("The message is empty; say what the agent has to know.");
		}
		const answer = await manager.steer(id, message).catch((error: unknown) => error);
		const view = answers.view(record);
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
		const record = answers.find(id);
		if (record === undefined) return answers.unknown(id);
		if (manager.abort(id, by) === "already_ended") {
			return failedResult(
				`${id} has already ended: ${formatStatus(record)}.`,
				answers.view(record),
			);
		}
		return answers.ended(await manager.wait(id));
	}

	return { ...delegation, ...reading, steer, stop };
}

/** What else the parent is told of a run. */
export function reportExtras(
	manager: AgentManager<ChildContext>,
	record: AgentRecord,
	notes: readonly string[] = [],
): ReportExtras {
	const workspace = manager.getWorkspace(record.id)?.text;
	return { unreadMessages: manager.getUnreadMessages(record.id), workspace, notes };
}

function createAnswers({ manager, book, activities, clock, scope }: ScopedParts): Answers {
	const view = (record: AgentRecord): AgentView =>
		agentView(record, clock.now(), activities.get(record.id));
	const inScope = (record: AgentRecord): boolean => isInScope(scope, record);
	return {
		find: (id) => [manager.getRecord(id)].find((record) => record && inScope(record)),
		view,
		ended(record, notes) {
			const text = reportText(record, clock.now(), reportExtras(manager, record, notes));
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
