import {
	type FakeClock,
	fakeClock,
	type MockSession,
	mockSession,
} from "@pi-subagents/test-helpers";
import {
	AgentManager,
	type AgentManagerOptions,
	type ManagerEvent,
	type SessionRequest,
	type SpawnOptions,
} from "../src/index.js";
import { promisesSettled } from "./deferred.js";
import { emitTurn, type Turn } from "./host-like-session.js";

/** A manager whose agents do what the test says. */
export interface Harness {
	readonly manager: AgentManager<string>;
	readonly clock: FakeClock;
	/** What sessions were made from, in order. */
	readonly requests: readonly SessionRequest<string>[];
	/** All sessions that were made for an agent, in order. */
	sessions(id: string): readonly MockSession[];
	/** The last session that was made for an agent. */
	session(id: string): MockSession;
	/** `<type> <id> <status>` of every event, in order. */
	readonly events: readonly string[];
	/** What the manager logged. */
	readonly faults: readonly string[];
	/** Lets the agent's model answer, which ends its run. */
	finish(id: string, turn?: Turn): Promise<void>;
}

/** Sessions are mocked ones unless `createSession` says otherwise; ids are a1, a2, and so on. */
export function createHarness(options: Partial<AgentManagerOptions<string>> = {}): Harness {
	const clock = fakeClock();
	const sessions = new Map<string, MockSession[]>();
	const requests: SessionRequest<string>[] = [];
	const events: string[] = [];
	const faults: string[] = [];
	let ids = 0;

	const manager = new AgentManager<string>({
		clock,
		newId: () => `a${++ids}`,
		log: (message, error) => faults.push(`${message} ${error.message}`),
		...options,
		createSession(request) {
			requests.push(request);
			if (options.createSession) return options.createSession(request);
			const session = mockSession();
			const { id } = request.record;
			sessions.set(id, [...(sessions.get(id) ?? []), session]);
			return Promise.resolve(session);
		},
	});
	manager.subscribe((event) => events.push(describe(event)));

	function session(id: string): MockSession {
		const last = sessions.get(id)?.at(-1);
		if (last === undefined) throw new Error(`No session was made for ${id}.`);
		return last;
	}

	return {
		manager,
		clock,
		requests,
		events,
		faults,
		session,
		sessions: (id) => sessions.get(id) ?? [],
		async finish(id, turn = { text: `Report of ${id}.` }) {
			const own = session(id);
			own.emit({ type: "turn_start" });
			emitTurn(own, turn);
			own.finishPrompt();
			await promisesSettled();
		},
	};
}

function describe(event: ManagerEvent): string {
	return `${event.type} ${event.record.id} ${event.record.status}`;
}

/** A task for an agent of the type `worker`. */
export function task(options: Partial<SpawnOptions<string>> = {}): SpawnOptions<string> {
	return {
		type: "worker",
		description: "Do the work",
		prompt: "Work.",
		context: "context",
		...options,
	};
}

/** A task in the background. */
export function backgroundTask(options: Partial<SpawnOptions<string>> = {}): SpawnOptions<string> {
	return task({ background: true, ...options });
}
