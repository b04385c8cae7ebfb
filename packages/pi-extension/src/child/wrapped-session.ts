import type { AgentSession } from "@mariozechner/pi-coding-agent";
import type { SubagentSession } from "@pi-subagents/core";
import { idleWait } from "../host/host-session.js";
import { asChild } from "./child-marker.js";

/** How long the extensions of a child may take to shut down. */
const SHUTDOWN_MS = 4000;

/** A child's session with an orderly end. */
export interface ChildSession extends SubagentSession {
	/** The host's own session, for whoever shows it. */
	readonly host: AgentSession;
	dispose(): Promise<void>;
}

/** The session as the runner knows it. Disposing it lets its extensions shut down first, which the host does not do. */
export function wrapSession(host: AgentSession): ChildSession {
	const waitForIdle = idleWait(host);
	return {
		host,
		subscribe: (listener) => host.subscribe(listener),
		// What its extensions do meanwhile happens inside the agent.
		prompt: (text, options) => asChild(() => host.prompt(text, options)),
		steer: (text) => host.steer(text),
		abort: () => host.abort(),
		clearQueue: () => host.clearQueue(),
		abortCompaction: () => host.abortCompaction(),
		...(waitForIdle && { waitForIdle }),
		get isStreaming() {
			return host.isStreaming;
		},
		get isCompacting() {
			return host.isCompacting;
		},
		get isRetrying() {
			return host.isRetrying;
		},
		get agent() {
			return host.agent;
		},
		get sessionFile() {
			return host.sessionFile;
		},
		async dispose() {
			try {
				const shutdown = { type: "session_shutdown", reason: "quit" } as const;
				await withinTime(
					asChild(() => host.extensionRunner.emit(shutdown)),
					SHUTDOWN_MS,
				);
			} finally {
				host.dispose();
			}
		},
	};
}

/** Resolves when `work` is over, whatever came of it, or after `ms` milliseconds. */
async function withinTime(work: Promise<unknown>, ms: number): Promise<void> {
	let timer: NodeJS.Timeout | undefined;
	const timeout = new Promise<void>((resolve) => {
		timer = setTimeout(resolve, ms);
	});
	await Promise.race([work.catch(() => {}), timeout]);
	clearTimeout(timer);
}
