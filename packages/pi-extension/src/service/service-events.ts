import type { ManagerEvent } from "@pi-subagents/runner";
import type { ServiceEvent } from "./api.js";

/** What subscribers of the service are told of an event of the manager. */
export function serviceEvent(event: ManagerEvent): ServiceEvent | undefined {
	const agent = event.record.toSnapshot();
	switch (event.type) {
		case "agent_created":
			return { type: "created", agent };
		case "agent_resumed":
			return { type: "resumed", agent };
		case "run_started":
			return { type: "started", agent };
		case "session_created":
			return {
				type: "session",
				agent,
				session: { subscribe: (listener) => event.session.subscribe(listener) },
			};
		case "compacted":
			return { type: "compacted", agent, ...event.compaction };
		case "steered":
			return { type: "steered", agent, message: event.message };
		case "run_stopping":
			return { type: "stopping", agent };
		case "run_ended":
			return { type: "ended", agent };
		default:
			return undefined;
	}
}
