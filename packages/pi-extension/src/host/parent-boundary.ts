import type { ExtensionAPI, ExtensionContext } from "@mariozechner/pi-coding-agent";
import { NOTIFICATION_TYPE, type Notification } from "../delivery/notification.js";
import { hasSettleEvents, hostMode, isOneShot } from "./host-mode.js";

/** What to do when the parent's run comes to its end. */
export interface BoundaryHandlers {
	/** The parent is at rest: a message now starts a run and disturbs none. */
	readonly onRest: () => void;
	/** What the parent has to be told before it rests; it goes on with it. */
	readonly takeDue: () => Notification | undefined;
	/** Whether there will be more to tell: a background agent is queued, running or ending. */
	readonly isWaiting: () => boolean;
	/** In print and JSON mode: resolves when no background agent runs any more, or the waiting time is over. */
	readonly drained: (signal: AbortSignal | undefined) => Promise<void>;
}

/** Knows whether the parent is at rest. */
export interface ParentBoundary {
	readonly isAtRest: boolean;
	/** Print and JSON mode of 0.73.1: something will have to be told before the run ends. */
	expectBackgroundEnd(): void;
	stop(): void;
}

/** The members of pi 1.x's `agent_before_settle` that are used. */
interface BeforeSettle {
	readonly entries: readonly unknown[];
}
type BeforeSettleResult =
	| { readonly entries: readonly unknown[]; readonly continue: true }
	| undefined;

/** `on` with the events that only pi 1.x sends. */
interface CurrentEvents {
	on?(
		event: "agent_before_settle",
		handler: (event: BeforeSettle, ctx: ExtensionContext) => Promise<BeforeSettleResult>,
	): void;
	on?(event: "agent_settled", handler: (event: object, ctx: ExtensionContext) => void): void;
}

/**
 * pi 1.x says when a run is about to settle, where a message may still be added, and when it has settled. 0.73.1 says
 * neither: its run is over some time after `agent_end`, unless a retry or a compaction follows.
 */
export function watchParent(pi: ExtensionAPI, handlers: BoundaryHandlers): ParentBoundary {
	const released = watchReleasedParent(pi, handlers);
	// 0.73.1 takes any event name and never calls the handler; its types know only its own events.
	const host: object = pi;
	const current: CurrentEvents = host;
	let context: ExtensionContext | undefined;
	let running = false;

	pi.on("session_start", (_, ctx) => {
		context = ctx;
	});
	pi.on("agent_start", (_, ctx) => {
		context = ctx;
		running = true;
	});
	current.on?.("agent_before_settle", async (event, ctx) => {
		if (isOneShot(hostMode(ctx))) await handlers.drained(ctx.signal);
		// Told at rest, together with what comes meanwhile, so that many agents do not make many turns.
		else if (handlers.isWaiting()) return undefined;
		const due = handlers.takeDue();
		if (due === undefined) return undefined;
		return { entries: [...event.entries, { type: "custom_message", ...due }], continue: true };
	});
	current.on?.("agent_settled", (_, ctx) => rest(ctx));
	pi.on("agent_end", (_, ctx) => {
		if (hasSettleEvents(ctx)) return;
		released.afterEnd(ctx, () => rest(ctx));
	});

	function rest(ctx: ExtensionContext): void {
		running = false;
		// Nothing that is sent now would be read any more: pi exits.
		if (!isOneShot(hostMode(ctx))) handlers.onRest();
	}

	return {
		get isAtRest() {
			return context !== undefined && !running && context.isIdle() && !released.isBusy;
		},
		expectBackgroundEnd() {
			if (context && !hasSettleEvents(context) && isOneShot(hostMode(context))) {
				released.reserveMessage();
			}
		},
		stop() {
			context = undefined;
			released.stop();
		},
	};
}

/** How often 0.73.1 is asked whether it is idle yet. */
const LOOK_MS = 25;
/** How long a retry of 0.73.1 may let wait for itself after a failed answer; it announces none to extensions. */
const RETRY_MS = 15_000;
/** How long a compaction of 0.73.1 may take; it announces its failure to nobody. */
const COMPACTION_MS = 120_000;

interface ReleasedParent {
	readonly isBusy: boolean;
	afterEnd(ctx: ExtensionContext, onRest: () => void): void;
	reserveMessage(): void;
	stop(): void;
}

function watchReleasedParent(pi: ExtensionAPI, handlers: BoundaryHandlers): ReleasedParent {
	const reserved = createReservedMessage(pi, handlers);
	let busyUntil = 0;
	let timer: NodeJS.Timeout | undefined;

	pi.on("agent_start", () => {
		busyUntil = 0;
		clearTimeout(timer);
	});
	pi.on("session_before_compact", (event) => {
		busyUntil = Date.now() + COMPACTION_MS;
		event.signal.addEventListener("abort", () => {
			busyUntil = 0;
		});
	});
	pi.on("session_compact", () => {
		busyUntil = 0;
	});
	pi.on("message_end", ({ message }) => {
		if (message.role !== "assistant") return;
		busyUntil = message.stopReason === "error" ? Date.now() + RETRY_MS : 0;
	});

	return {
		get isBusy() {
			return Date.now() < busyUntil;
		},
		afterEnd(ctx, onRest) {
			clearTimeout(timer);
			const look = (): void => {
				if (ctx.isIdle() && Date.now() >= busyUntil) onRest();
				else timer = setTimeout(look, LOOK_MS);
			};
			timer = setTimeout(look, LOOK_MS);
		},
		reserveMessage: reserved.reserve,
		stop: () => clearTimeout(timer),
	};
}

/**
 * Print and JSON mode of 0.73.1 exit when the run is over, and nothing holds it. But a message that is queued behind the
 * run makes it go on, and the request with that message waits for its `context` handlers. So a message is queued when a
 * background agent starts, and gets its text when it is read, after the agents have ended.
 */
function createReservedMessage(pi: ExtensionAPI, handlers: BoundaryHandlers): { reserve(): void } {
	const texts = new Map<number, Promise<Notification>>();
	let count = 0;
	let queued = false;
	let listening = false;

	const nothingNew: Pick<Notification, "content" | "details"> = {
		content: "All background agents have ended, and you know their results. Finish your answer.",
		details: { agents: [] },
	};

	async function text(signal: AbortSignal | undefined): Promise<Notification> {
		queued = false;
		await handlers.drained(signal);
		return handlers.takeDue() ?? { customType: NOTIFICATION_TYPE, display: true, ...nothingNew };
	}

	function textOf(
		message: object,
		signal: AbortSignal | undefined,
	): Promise<Notification> | undefined {
		const reservation = reservationOf(message);
		if (reservation === undefined) return undefined;
		const known = texts.get(reservation) ?? text(signal);
		texts.set(reservation, known);
		return known;
	}

	/** Only when there is something to replace: a host copies the whole conversation for every handler of `context`. */
	function listen(): void {
		if (listening) return;
		listening = true;
		pi.on("context", async (event, ctx) => {
			const messages: typeof event.messages = [];
			for (const message of event.messages) {
				const known = await textOf(message, ctx.signal);
				if (known === undefined || message.role !== "custom") messages.push(message);
				else messages.push({ ...message, content: known.content });
			}
			return { messages };
		});
		pi.on("message_end", async (event, ctx) => {
			const known = await textOf(event.message, ctx.signal);
			if (known === undefined || event.message.role !== "custom") return undefined;
			return { message: { ...event.message, content: known.content, details: known.details } };
		});
	}

	return {
		reserve() {
			if (queued) return;
			listen();
			queued = true;
			count++;
			pi.sendMessage(
				{
					customType: NOTIFICATION_TYPE,
					content: "Results of background agents follow.",
					display: true,
					details: { reservation: count },
				},
				{ deliverAs: "followUp", triggerTurn: true },
			);
		},
	};
}

function reservationOf(message: object): number | undefined {
	if (!("role" in message) || message.role !== "custom") return undefined;
	if (!("customType" in message) || message.customType !== NOTIFICATION_TYPE) return undefined;
	const details = "details" in message ? message.details : undefined;
	if (typeof details !== "object" || details === null || !("reservation" in details))
		return undefined;
	return typeof details.reservation === "number" ? details.reservation : undefined;
}
