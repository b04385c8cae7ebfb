import type { Refusal, ServiceVersion, SubagentsService } from "./api.js";
import type { SubagentsEvents } from "./events.js";

/** Where the service of the session that runs is on `globalThis`. */
export const SERVICE_KEY: unique symbol = Symbol.for("@pi-subagents/pi-extension:service");

/** The version that this entry describes. */
export const SERVICE_VERSION: ServiceVersion = Object.freeze({ major: 1, minor: 0 });

/** Where the extension marks what happens inside an agent. */
const CHILD_KEY = Symbol.for("@pi-subagents/pi-extension:child");

type SharedGlobal = typeof globalThis & {
	[SERVICE_KEY]?: SubagentsService;
	[CHILD_KEY]?: { getStore(): unknown };
};

/** The service, or why there is none. */
export type ServiceLookup = { readonly ok: true; readonly service: SubagentsService } | Refusal;

/**
 * The service of the session that runs now, in the version that is wanted. Call it whenever you need the service, from
 * `session_start` on; it costs nothing.
 */
export function getSubagentsService(wanted: ServiceVersion = SERVICE_VERSION): ServiceLookup {
	const shared = globalThis as SharedGlobal;
	if (shared[CHILD_KEY]?.getStore() === true) {
		const message =
			"The service is not there for extensions inside an agent; use it in the main session.";
		return { ok: false, reason: "inside_agent", message };
	}
	const published = shared[SERVICE_KEY];
	if (published === undefined || published.isStale) {
		const message =
			"No session with sub-agents runs; install @pi-subagents/pi-extension, or wait for the event subagents:ready.";
		return { ok: false, reason: "not_loaded", message };
	}
	const service = published.negotiate(wanted);
	if (service !== undefined) return { ok: true, service };
	const [needs, has] = [wanted, published.version].map(({ major, minor }) => `${major}.${minor}`);
	const message = `Version ${needs} of the service is needed and @pi-subagents/pi-extension has ${has}; update the older one.`;
	return { ok: false, reason: "incompatible", message };
}

/** The part of `pi.events` that is needed here. */
export interface EventSource {
	on(name: string, handler: (data: unknown) => void): () => void;
}

/** Listens to one event of `pi.events`; returns the end of it. */
export function onSubagentsEvent<Name extends keyof SubagentsEvents>(
	events: EventSource,
	name: Name,
	handler: (event: SubagentsEvents[Name]) => void,
): () => void {
	return events.on(name, handler as (data: unknown) => void);
}

/** The part of `pi` that is needed here. */
export interface SessionSource {
	readonly events: EventSource;
	on(event: "session_shutdown", handler: () => void): unknown;
}

/**
 * Calls `use` with the service of every session: at once if there is one, and after each start of a session, `/reload`
 * included. For what has to be done anew each time, such as registering a type. Call it when your extension is loaded; it
 * ends with that, at the shutdown of the session, because listeners of `pi.events` outlive a reload.
 */
export function withSubagentsService(
	pi: SessionSource,
	use: (service: SubagentsService) => void,
	wanted: ServiceVersion = SERVICE_VERSION,
): void {
	let last: SubagentsService | undefined;
	const look = (): void => {
		const found = getSubagentsService(wanted);
		if (!found.ok || found.service === last) return;
		last = found.service;
		use(found.service);
	};
	look();
	pi.on("session_shutdown", onSubagentsEvent(pi.events, "subagents:ready", look));
}
