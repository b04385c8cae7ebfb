import type { SessionMessage, SubagentSession, WaitingReason } from "@pi-subagents/core";
import { listen } from "@pi-subagents/observers";
import type { Clock } from "@pi-subagents/runner";
import type { ProviderGate } from "./provider-gate.js";

/** How often a prompt that was refused is tried again, each time after twice as long. */
const TRIES = 4;

const GO_ON =
	"The model provider did not take your last request, because it was asked too often. Go on with your task.";

/** A session that may be asked to wait. */
export interface PatientSession extends Pick<SubagentSession, "subscribe"> {
	send(text: string): Promise<void>;
	/** The last message of the conversation. */
	lastMessage(): SessionMessage | undefined;
	/** Says that it waits, or does not any more. */
	waiting(type: "waiting_start" | "waiting_end", reason: WaitingReason): void;
}

/** What a prompt waits for. */
export interface BackOff {
	readonly gate: ProviderGate;
	readonly clock: Clock;
	readonly provider: string;
	/** Ends all waiting. */
	readonly signal: AbortSignal;
	/** How long one prompt may wait for its provider, all its waits together. */
	readonly seconds: number;
}

/**
 * Sends a prompt when its provider takes requests. The host tries a refused one again by itself, and meanwhile nobody else
 * asks that provider. If it gives up, the prompt waits with all others and goes on, up to four times; the failure of the
 * last try stays, as without all this.
 */
export async function promptPatiently(
	session: PatientSession,
	text: string,
	{ gate, clock, provider, signal, seconds }: BackOff,
): Promise<void> {
	let leftMs = seconds * 1000;
	const stopListening = listen(session, (event) => {
		if (event.type !== "auto_retry_start" || !isRateLimit(event.errorMessage)) return;
		gate.close(provider, Math.min(event.delayMs, leftMs));
	});
	const pauseMs = leftMs / (2 ** TRIES - 1);
	try {
		await pass();
		for (let tried = 0; !signal.aborted; tried++) {
			await session.send(tried === 0 ? text : GO_ON);
			const last = session.lastMessage();
			const refused = last?.stopReason === "error" && isRateLimit(last.errorMessage);
			if (!refused || tried === TRIES || leftMs <= 0) return;
			gate.close(provider, Math.min(pauseMs * 2 ** tried, leftMs));
			await pass();
		}
	} finally {
		stopListening();
	}

	async function pass(): Promise<void> {
		if (!gate.isClosed(provider) || leftMs <= 0) return;
		const from = clock.now();
		session.waiting("waiting_start", "provider");
		await gate.pass(provider, leftMs, signal);
		session.waiting("waiting_end", "provider");
		leftMs -= clock.now() - from;
	}
}

const RATE_LIMIT = /\b429\b|rate.?limit|too many requests/i;
/** Nothing that waiting for a while helps against. */
const USED_UP = /quota|billing|credit|payment/i;

/** Whether a provider's words say that it is asked too often. */
export function isRateLimit(errorMessage: string | undefined): boolean {
	return errorMessage !== undefined && RATE_LIMIT.test(errorMessage) && !USED_UP.test(errorMessage);
}
