import type { HostEvent, SessionEvents, SubagentSession } from "@pi-subagents/core";

/** A listener of session events. */
export type SessionListener = (event: HostEvent) => void;

/**
 * What a session plays when it is prompted: it emits events on `session` and returns when the agent has stopped.
 * `session.signal` tells when the test, or the code under test, aborts it.
 */
export type SessionScript = (session: MockSession, text: string) => void | Promise<void>;

/** The members of a session that a host may or may not have. */
export type OptionalSessionMembers = Omit<
	Partial<SubagentSession>,
	"subscribe" | "prompt" | "steer" | "abort" | "dispose"
>;

/** How a mocked session behaves. */
export interface MockSessionOptions {
	/** Played for each prompt. Absent: a prompt waits for {@link MockSession.finishPrompt} or an abort. */
	readonly prompt?: SessionScript;
	/** Instead of accepting the message: throw or reject to make steering fail. */
	readonly steer?: (session: MockSession, text: string) => unknown;
	/** Instead of aborting; a promise that never settles is a host whose tool ignores its signal. */
	readonly abort?: (session: MockSession) => void | Promise<void>;
	/** What `dispose` does after the listeners are gone. */
	readonly dispose?: (session: MockSession) => void | Promise<void>;
	/** Members that only some hosts have, taken over as they are; getters stay getters. */
	readonly members?: OptionalSessionMembers;
}

/** One call of the code under test. */
export type MockSessionCall =
	| {
			readonly method: "prompt";
			readonly text: string;
			readonly options?: { readonly expandPromptTemplates?: boolean };
	  }
	| { readonly method: "steer"; readonly text: string }
	| { readonly method: "abort" }
	| { readonly method: "dispose" };

/** An event whose members are checked if its type is one that the libraries know. */
export type EmittedEvent<E extends HostEvent> = E &
	(E["type"] extends keyof SessionEvents ? SessionEvents[E["type"]] : unknown);

/** A session without a host, driven by a test. */
export interface MockSession extends SubagentSession {
	/**
	 * Calls the subscribers with `event` as `AgentSession` of both hosts does: in a plain loop over the live list. So a
	 * subscriber that unsubscribes while it is called makes the next one miss the event, one that subscribes meanwhile
	 * gets the event, too, and what a subscriber throws ends the loop and reaches the caller.
	 */
	emit<const E extends HostEvent>(event: EmittedEvent<E>): void;
	/** Everything that was called, in order. */
	readonly calls: readonly MockSessionCall[];
	/** Who is subscribed, in order. */
	readonly subscribers: readonly SessionListener[];
	readonly subscriberCount: number;
	/** Of the prompt that is going on, or of the last one: aborted by `abort`. */
	readonly signal: AbortSignal;
	readonly isStreaming: boolean;
	/** Ends the prompt that waits; it is an error if none does. */
	finishPrompt(): void;
	/** Makes the prompt that waits reject; it is an error if none does. */
	failPrompt(error: Error): void;
}

interface Waiting {
	readonly resolve: () => void;
	readonly reject: (error: Error) => void;
}

/**
 * A {@link SubagentSession} that only does what a test tells it.
 *
 * Like the hosts, it refuses a prompt while another one is going on, aborting it waits until the prompt has ended, and
 * disposing of it drops all subscribers but does not end a prompt.
 */
export function mockSession(options: MockSessionOptions = {}): MockSession {
	let listeners: SessionListener[] = [];
	let controller = new AbortController();
	let streaming = false;
	let running: Promise<void> | undefined;
	let waiting: Waiting | undefined;
	const calls: MockSessionCall[] = [];

	async function play(text: string): Promise<void> {
		if (options.prompt) return options.prompt(session, text);
		return new Promise((resolve, reject) => {
			waiting = { resolve, reject };
		});
	}

	function takeWaiting(): Waiting {
		const taken = waiting;
		if (!taken) throw new Error("No prompt waits: nothing was prompted, or its script ends it.");
		waiting = undefined;
		return taken;
	}

	const own: MockSession = {
		subscribe(listener) {
			listeners.push(listener);
			return () => {
				const index = listeners.indexOf(listener);
				if (index !== -1) listeners.splice(index, 1);
			};
		},
		emit(event) {
			for (const listener of listeners) listener(event);
		},
		async prompt(text, promptOptions) {
			calls.push({ method: "prompt", text, ...(promptOptions && { options: promptOptions }) });
			if (streaming) throw new Error("The session is already processing a prompt.");
			controller = new AbortController();
			streaming = true;
			try {
				running = play(text);
				await running;
			} finally {
				streaming = false;
				running = undefined;
			}
		},
		async steer(text) {
			calls.push({ method: "steer", text });
			return options.steer?.(session, text);
		},
		async abort() {
			calls.push({ method: "abort" });
			if (options.abort) return options.abort(session);
			controller.abort();
			waiting?.resolve();
			waiting = undefined;
			// The prompt tells its own caller how it ended.
			await running?.catch(() => undefined);
		},
		dispose() {
			calls.push({ method: "dispose" });
			listeners = [];
			return options.dispose?.(session);
		},
		finishPrompt() {
			takeWaiting().resolve();
		},
		failPrompt(error) {
			takeWaiting().reject(error);
		},
		get calls() {
			return [...calls];
		},
		get subscribers() {
			return [...listeners];
		},
		get subscriberCount() {
			return listeners.length;
		},
		get signal() {
			return controller.signal;
		},
		get isStreaming() {
			return streaming;
		},
	};
	const members = Object.getOwnPropertyDescriptors(options.members ?? {});
	const session: MockSession = Object.defineProperties(own, members);
	return session;
}
