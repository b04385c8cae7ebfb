import { type AgentRecord, addUsage, emptyUsage, type Usage } from "@pi-subagents/core";
import type { AgentManager } from "@pi-subagents/runner";
import { ancestorsOf, descendantsOf } from "./agent-tree.js";

/** The members of a manager that tell who started whom. */
type Agents = Pick<AgentManager<never>, "getRecord" | "listAgents">;

/** What agents have used, over their whole lives; every token is in each of the parts once. */
export interface CostReport {
	readonly total: Readonly<Usage>;
	/** In the order in which the agents were made. */
	readonly agents: readonly AgentCost[];
	/** By the name of the definition. */
	readonly byType: ReadonlyMap<string, Readonly<Usage>>;
	/** By `provider/id`; agents whose model is not known are under `unknown`. */
	readonly byModel: ReadonlyMap<string, Readonly<Usage>>;
}

/** What one agent has used. */
export interface AgentCost {
	readonly record: AgentRecord;
	readonly model: string;
	readonly own: Readonly<Usage>;
	/** With all agents below it. */
	readonly subtree: Readonly<Usage>;
}

/** Adds up what all agents have used. `modelOf` gives an agent's model as `provider/id`. */
export function costReport(
	agents: Agents,
	modelOf: (record: AgentRecord) => string | undefined,
): CostReport {
	const byType = new Map<string, Usage>();
	const byModel = new Map<string, Usage>();
	const total = emptyUsage();
	const costs = agents.listAgents().map((record): AgentCost => {
		const own = record.lifetimeUsage;
		const model = modelOf(record) ?? "unknown";
		addUsage(total, own);
		addTo(byType, record.type, own);
		addTo(byModel, model, own);
		return { record, model, own, subtree: subtreeUsage(agents, record) };
	});
	return { total, agents: costs, byType, byModel };
}

/** What an agent and all below it have used. */
export function subtreeUsage(agents: Agents, record: AgentRecord): Readonly<Usage> {
	const usage = emptyUsage();
	for (const each of [record, ...descendantsOf(agents, record)])
		addUsage(usage, each.lifetimeUsage);
	return usage;
}

function addTo(sums: Map<string, Usage>, key: string, usage: Readonly<Usage>): void {
	const sum = sums.get(key) ?? emptyUsage();
	addUsage(sum, usage);
	sums.set(key, sum);
}

/** What one agent has used since it was charged last. */
export interface Charge {
	readonly record: AgentRecord;
	readonly usage: Readonly<Usage>;
}

/** Keeps what a session has been charged with, so that it is charged with every token once. */
export interface Ledger {
	/**
	 * What was used and not charged yet by the agents of the session that have ended, and by all below those; it counts as
	 * charged from now on.
	 */
	take(): readonly Charge[];
	/** What an agent used in an earlier process was charged there. */
	settle(record: AgentRecord): void;
}

/** The ledger of the main session, or of the agent with this id. */
export function createLedger(agents: Agents, parentId?: string): Ledger {
	const charged = new Map<string, Readonly<Usage>>();

	/** The agent of this session that `record` belongs to. */
	function topOf(record: AgentRecord): AgentRecord | undefined {
		return [record, ...ancestorsOf(agents, record)].find((each) => each.parentId === parentId);
	}

	return {
		take() {
			return agents.listAgents().flatMap((record) => {
				if (!topOf(record)?.isTerminal) return [];
				const now = record.lifetimeUsage;
				const usage = difference(now, charged.get(record.id));
				charged.set(record.id, now);
				return isNothing(usage) ? [] : [{ record, usage }];
			});
		},
		settle(record) {
			charged.set(record.id, record.lifetimeUsage);
		},
	};
}

/** The sum of charges. */
export function sumOf(charges: readonly Charge[]): Readonly<Usage> {
	const usage = emptyUsage();
	for (const charge of charges) addUsage(usage, charge.usage);
	return usage;
}

function difference(now: Readonly<Usage>, before: Readonly<Usage> = emptyUsage()): Usage {
	return {
		input: now.input - before.input,
		output: now.output - before.output,
		cacheRead: now.cacheRead - before.cacheRead,
		cacheWrite: now.cacheWrite - before.cacheWrite,
		cost: now.cost - before.cost,
	};
}

function isNothing(usage: Readonly<Usage>): boolean {
	return Object.values(usage).every((value) => value === 0);
}
