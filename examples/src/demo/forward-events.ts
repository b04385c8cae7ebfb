import type { ExtensionAPI, ExtensionContext } from "@mariozechner/pi-coding-agent";

/** The key of the status under which {@link forwardEvents} sends what it hears. */
export const STATUS_KEY = "subagents-demo";

/** What the extension tells other extensions of its agents, on `pi.events`. */
const EVENTS = [
	"created",
	"started",
	"child:session-created",
	"steered",
	"completed",
	"failed",
] as const;

/** An extension of pi that hands on the events of all sub-agents to whoever drives pi in RPC mode. */
export default function forwardEvents(pi: ExtensionAPI): void {
	let context: ExtensionContext | undefined;
	pi.on("session_start", (_, ctx) => {
		context = ctx;
	});
	for (const event of EVENTS) {
		pi.events.on(`subagents:${event}`, (agent) => {
			context?.ui.setStatus(STATUS_KEY, JSON.stringify({ event, agent }));
		});
	}
}
