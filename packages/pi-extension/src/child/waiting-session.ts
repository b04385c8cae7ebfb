import type { SessionEvents, SessionMessage, WaitingReason } from "@pi-subagents/core";
import type { Clock, SessionRequest } from "@pi-subagents/runner";
import { type BackOff, promptPatiently } from "./back-off.js";
import type { DialogTurns } from "./child-dialogs.js";
import { type ChildContext, type ChildSurroundings, openChildSession } from "./child-session.js";
import type { ProviderGate } from "./provider-gate.js";
import type { ChildSession } from "./wrapped-session.js";

/** What all children of one parent session wait by. */
export interface Waiting {
	readonly gate: ProviderGate;
	readonly clock: Clock;
	/** How long one prompt may wait for its provider. */
	readonly seconds: () => number;
}

type WaitingEvent = SessionEvents["waiting_start"] | SessionEvents["waiting_end"];

/**
 * The session of one run, whose prompts wait when the provider is asked too often, and which tells when it waits for that
 * or for a person.
 */
export async function openWaitingSession(
	request: SessionRequest<ChildContext>,
	surroundings: ChildSurroundings,
	{ gate, clock, seconds }: Waiting,
): Promise<ChildSession> {
	const listeners = new Set<(event: WaitingEvent) => void>();
	const waiting = (type: WaitingEvent["type"], reason: WaitingReason): void => {
		for (const listener of [...listeners]) listener({ type, reason });
	};
	const dialogTurns = announced(surroundings.dialogTurns, waiting);
	const child = await openChildSession(request, { ...surroundings, dialogTurns });
	const provider = request.context.model?.provider ?? "";
	const backOff: Omit<BackOff, "seconds"> = { gate, clock, provider, signal: request.signal };

	const patient: ChildSession = Object.create(child);
	return Object.assign(patient, {
		subscribe(listener: Parameters<ChildSession["subscribe"]>[0]) {
			const own = (event: WaitingEvent): void => listener(event);
			const stop = child.subscribe(listener);
			listeners.add(own);
			return () => {
				listeners.delete(own);
				stop();
			};
		},
		prompt(text: string, options?: Parameters<ChildSession["prompt"]>[1]) {
			return promptPatiently(
				{
					subscribe: (listener) => child.subscribe(listener),
					send: (each) => child.prompt(each, options),
					lastMessage: (): SessionMessage | undefined => child.host.messages.at(-1),
					waiting,
				},
				text,
				{ ...backOff, seconds: seconds() },
			);
		},
	});
}

/** Turns that tell when somebody waits for an answer, or for the turn to ask. */
function announced(
	turns: DialogTurns,
	waiting: (type: WaitingEvent["type"], reason: WaitingReason) => void,
): DialogTurns {
	return {
		async take(dialog, cancelled, signal) {
			waiting("waiting_start", "person");
			try {
				return await turns.take(dialog, cancelled, signal);
			} finally {
				waiting("waiting_end", "person");
			}
		},
		close: () => turns.close(),
		get isClosed() {
			return turns.isClosed;
		},
	};
}
