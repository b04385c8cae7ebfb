/**
 * Where an agent is in its life.
 *
 * - `queued`: waiting for a slot.
 * - `running`: in a run, from the preparation of its workspace to the disposal of its session.
 * - `completed`: it ended by itself.
 * - `steered`: it reached its turn limit, was told to wrap up, and did.
 * - `aborted`: a limit cut it off.
 * - `stopped`: the user, the parent or a program stopped it.
 * - `error`: it failed, or never started.
 */
export type AgentStatus = "queued" | "running" | TerminalStatus;

/** The statuses in which an agent has ended. A resume leads out of them. */
export type TerminalStatus = "completed" | "steered" | "aborted" | "stopped" | "error";

const NEXT: Readonly<Record<AgentStatus, readonly AgentStatus[]>> = {
	queued: ["running", "stopped", "error"],
	running: ["completed", "steered", "aborted", "stopped", "error"],
	completed: ["queued", "running"],
	steered: ["queued", "running"],
	aborted: ["queued", "running"],
	stopped: ["queued", "running"],
	error: ["queued", "running"],
};

/** Whether an agent may go from one status to the other. */
export function canTransition(from: AgentStatus, to: AgentStatus): boolean {
	return NEXT[from].includes(to);
}

/** Whether the agent has ended. */
export function isTerminal(status: AgentStatus): status is TerminalStatus {
	return status !== "queued" && status !== "running";
}

/** All statuses, in the order in which an agent can reach them. */
export const AGENT_STATUSES: readonly AgentStatus[] = Object.freeze(
	Object.keys(NEXT) as AgentStatus[],
);
