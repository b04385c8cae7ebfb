import type { AgentRecord } from "@pi-subagents/core";
import type { AgentManager } from "@pi-subagents/runner";

/** The members of a manager that tell who started whom. */
type Agents = Pick<AgentManager<never>, "getRecord" | "listAgents">;

/** The agents that stand above this one, the nearest first. */
export function ancestorsOf(agents: Agents, record: AgentRecord): readonly AgentRecord[] {
	const above: AgentRecord[] = [];
	let next = parentOf(agents, record);
	while (next !== undefined && next !== record && !above.includes(next)) {
		above.push(next);
		next = parentOf(agents, next);
	}
	return above;
}

/** All agents that this one started, and those that they started, in the order in which they were made. */
export function descendantsOf(agents: Agents, record: AgentRecord): readonly AgentRecord[] {
	return agents
		.listAgents()
		.filter((other) => other !== record && ancestorsOf(agents, other).includes(record));
}

/** How deep an agent is: 1 for those of the main session. */
export function depthOf(agents: Agents, record: AgentRecord): number {
	return ancestorsOf(agents, record).length + 1;
}

function parentOf(agents: Agents, { parentId }: AgentRecord): AgentRecord | undefined {
	return parentId === undefined ? undefined : agents.getRecord(parentId);
}

/**
 * Lets no agent outlive the one that started it: whoever is stopped or ends takes those below with it. Returns the end
 * of that.
 */
export function stopWithParent<Context>(manager: AgentManager<Context>): () => void {
	return manager.subscribe(({ type, record }) => {
		if (type !== "run_stopping" && type !== "run_ended") return;
		for (const child of manager.listAgents()) {
			if (child.parentId === record.id && !child.isTerminal) manager.abort(child.id, "parent");
		}
	});
}
