import { AsyncLocalStorage } from "node:async_hooks";
import type { ExtensionContext } from "@mariozechner/pi-coding-agent";
import type { AgentRecord } from "@pi-subagents/core";
import { formatDiagnostic, type RegistryEntry } from "@pi-subagents/definitions";
import type { AgentManager } from "@pi-subagents/runner";
import type { Result } from "../answers.js";
import type { AgentCatalog } from "../catalog.js";
import { isInsideChild } from "../child/child-marker.js";
import type { ChildContext } from "../child/child-session.js";
import type { Delegation } from "../delegation.js";
import type { SubagentCall } from "../tools/subagent-tool.js";
import { SERVICE_VERSION } from "./access.js";
import type {
	AgentType,
	Answer,
	BegunAnswer,
	Refusal,
	RefusalReason,
	RunRequest,
	ServiceEvent,
	SubagentsService,
} from "./api.js";
import { serviceEvent } from "./service-events.js";
import { resumeCall, spawnCall } from "./to-call.js";
import type { WorkspaceSwitch } from "./workspace-switch.js";

/** What the service is made of: parts of one parent session. */
export interface ServiceParts {
	readonly manager: AgentManager<ChildContext>;
	readonly catalog: AgentCatalog;
	readonly delegation: Pick<Delegation, "begin">;
	readonly workspaces: WorkspaceSwitch;
	/** Of the session; absent before its start and after its end. */
	readonly context: () => ExtensionContext | undefined;
	/** Looks for agent files that changed, and tells the model of other types. */
	readonly refreshTypes: () => Promise<void>;
}

/** The service of one parent session, and its end. */
export interface OwnedService {
	readonly service: SubagentsService;
	/** Makes it stale and tells its subscribers. */
	close(): void;
}

/** A service that works until it is closed. */
export function createService(parts: ServiceParts): OwnedService {
	const { manager, catalog, delegation, workspaces } = parts;
	const closing = new Set<() => void>();
	let stale = false;

	/** Why nothing can be done now. */
	function barrier(): Refusal | undefined {
		if (stale) {
			return refusal(
				"stale",
				"This service belongs to a session that has ended; call getSubagentsService() for that of the session that runs.",
			);
		}
		if (!isInsideChild()) return undefined;
		return refusal(
			"inside_agent",
			"Extensions inside an agent cannot use the service; use it in the main session.",
		);
	}

	function unknown(id: string): Refusal {
		const known = manager.listAgents().map((record) => record.id);
		const list = known.length > 0 ? `Known agents: ${known.join(", ")}.` : "There are none yet.";
		return refusal("unknown_agent", `There is no agent ${JSON.stringify(id)}. ${list}`);
	}

	/** Calls `work` with the agent, unless it is not there or the service cannot be used. */
	async function withAgent<T>(
		id: string,
		work: (record: AgentRecord) => Promise<Answer<T>>,
	): Promise<Answer<T>> {
		const closed = barrier();
		if (closed !== undefined) return closed;
		const record = manager.getRecord(id);
		return record === undefined ? unknown(id) : work(record);
	}

	async function begin(call: SubagentCall, request: RunRequest): Promise<Answer<BegunAnswer>> {
		const context = parts.context();
		if (context === undefined) {
			return refusal("not_loaded", "The session has not started; wait for subagents:ready.");
		}
		const { signal, wakeParent = false } = request;
		if (signal?.aborted) return refusal("refused", "The request was aborted before it began.");
		const begun = await delegation.begin(call, context, signal, { announce: wakeParent });
		if ("content" in begun) return refusal("refused", textOf(begun));
		const { record, notes } = begun;
		if (signal !== undefined) stopOnAbort(record.id, signal);
		return { ok: true, agent: record.toSnapshot(), notes };
	}

	function stopOnAbort(id: string, signal: AbortSignal): void {
		const onAbort = (): void => void manager.abort(id, "program");
		signal.addEventListener("abort", onAbort, { once: true });
		if (signal.aborted) onAbort();
		void manager.wait(id).finally(() => signal.removeEventListener("abort", onAbort));
	}

	async function ended(
		record: AgentRecord,
	): Promise<Answer<{ readonly agent: ReturnType<AgentRecord["toSnapshot"]> }>> {
		await manager.wait(record.id);
		return { ok: true, agent: record.toSnapshot() };
	}

	const service: SubagentsService = {
		version: SERVICE_VERSION,
		get isStale() {
			return stale;
		},
		negotiate: ({ major, minor }) =>
			major === SERVICE_VERSION.major && minor <= SERVICE_VERSION.minor ? service : undefined,

		spawn: async (request) => barrier() ?? begin(spawnCall(request), request),
		resume: (id, request) =>
			withAgent(id, async (record) =>
				record.isTerminal
					? begin(resumeCall(id, record.type, request), request)
					: refusal("not_ended", `Agent ${id} is ${record.status}; steer it, or wait for its end.`),
			),
		steer: (id, message) =>
			withAgent(id, async () => {
				if (message.trim() === "") return refusal("refused", "The message is empty.");
				try {
					const delivery = await manager.steer(id, message);
					return delivery === "delivered" || delivery === "kept"
						? { ok: true, delivery }
						: refusal("ended", `Agent ${id} has ended; give it a further task with resume.`);
				} catch (error) {
					return refusal("refused", `Agent ${id} did not take the message: ${reasonOf(error)}.`);
				}
			}),
		stop: (id) =>
			withAgent(id, async (record) =>
				manager.abort(id, "program") === "already_ended"
					? refusal("ended", `Agent ${id} has already ended: ${record.status}.`)
					: ended(record),
			),
		wait: (id, signal) =>
			withAgent(id, async (record) => {
				try {
					await manager.wait(id, signal);
					return { ok: true, agent: record.toSnapshot() };
				} catch (error) {
					return refusal("refused", `The wait for agent ${id} was given up: ${reasonOf(error)}.`);
				}
			}),
		async waitForAll(signal) {
			const closed = barrier();
			if (closed !== undefined) return closed;
			try {
				for (;;) {
					const alive = manager.listAgents().filter((record) => !record.isTerminal);
					if (alive.length === 0) return { ok: true, agents: service.list() };
					await Promise.all(alive.map((record) => manager.wait(record.id, signal)));
				}
			} catch (error) {
				return refusal("refused", `The wait for all agents was given up: ${reasonOf(error)}.`);
			}
		},

		get(id) {
			const closed = barrier();
			if (closed !== undefined) return closed;
			const record = manager.getRecord(id);
			return record === undefined ? unknown(id) : { ok: true, agent: record.toSnapshot() };
		},
		list: () => (stale ? [] : manager.listAgents().map((record) => record.toSnapshot())),
		subscribe(listener, id) {
			// Events come from inside agents; a listener is not inside one, wherever it is called.
			const tell = AsyncLocalStorage.bind((event: ServiceEvent) => listener(event));
			if (stale) {
				tell({ type: "closed" });
				return () => {};
			}
			const stop = manager.subscribe((event) => {
				if (id !== undefined && event.record.id !== id) return;
				const told = serviceEvent(event);
				if (told !== undefined) tell(told);
			});
			const close = (): void => {
				stop();
				tell({ type: "closed" });
			};
			closing.add(close);
			return () => {
				closing.delete(close);
				stop();
			};
		},

		async listTypes() {
			if (stale) return [];
			await parts.refreshTypes();
			return catalog.entries.map(agentType);
		},
		registerType(definition, owner) {
			const closed = barrier();
			if (closed !== undefined) return closed;
			const registration = catalog.register(definition, owner);
			const problems = registration.diagnostics.map(formatDiagnostic);
			if (!registration.registered) return refusal("refused", problems.join("\n"));
			void parts.refreshTypes();
			return {
				ok: true,
				problems,
				unregister() {
					registration.unregister();
					if (!stale) void parts.refreshTypes();
				},
			};
		},
		registerWorkspaceProvider(provider, options = {}) {
			const closed = barrier();
			return closed ?? { ok: true, unregister: workspaces.register(provider, options) };
		},
	};

	return {
		service,
		close() {
			stale = true;
			for (const tell of closing) {
				try {
					tell();
				} catch (error) {
					process.emitWarning(`A subscriber of the sub-agent service failed: ${reasonOf(error)}`);
				}
			}
			closing.clear();
		},
	};
}

function refusal(reason: RefusalReason, message: string): Refusal {
	return { ok: false, reason, message };
}

function reasonOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

function textOf({ content }: Result): string {
	return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

function agentType(entry: RegistryEntry): AgentType {
	const { file, name, state } = entry;
	const definition = "definition" in entry ? entry.definition : undefined;
	return {
		name,
		state,
		description: definition?.description ?? "",
		hidden: definition?.hidden === true,
		...(file !== undefined && { file }),
	};
}
