import type { ExtensionAPI, SessionEntry } from "@mariozechner/pi-coding-agent";
import type {
	AgentRecord,
	AgentRecordSnapshot,
	Isolation,
	RunLimits,
	ThinkingLevel,
	WorkspaceReport,
} from "@pi-subagents/core";

/** The type of this extension's entries in the parent's session file. */
const ENTRY_TYPE = "subagents:agent";

/** What is kept of an agent besides its record. */
export interface AgentNote {
	/** How it was started; a resume in a later process is made from it. */
	readonly launch: Launch;
	/** Whether the last run was a background run, so that its end is announced. */
	background: boolean;
	/** The number of the last run whose end the parent knows. */
	told: number;
}

/** How an agent was started, as plain JSON. */
export interface Launch {
	readonly cwd: string;
	/** `provider/id` */
	readonly model: string;
	readonly thinking?: ThinkingLevel;
	readonly isolated: boolean;
	readonly isolation: Isolation;
	readonly limits: RunLimits;
}

/** One agent as it is stored; a later entry of the same agent replaces an earlier one. */
export interface StoredAgent {
	readonly record: AgentRecordSnapshot;
	readonly launch: Launch;
	readonly background: boolean;
	readonly told: number;
	readonly unreadMessages: readonly string[];
	readonly workspace?: WorkspaceReport;
}

/** What of an agent only the manager knows. */
export type StoredExtras = Pick<StoredAgent, "unreadMessages" | "workspace">;

/** The notes of all agents of one parent session, kept in its file. */
export interface AgentBook {
	get(id: string): AgentNote | undefined;
	/** Whether the parent does not know yet how the agent's last run ended. */
	isUntold(record: AgentRecord): boolean;
	/** A new agent; it is stored at once, because a process that ends may leave it in the queue. */
	open(record: AgentRecord, launch: Launch, background: boolean): void;
	/** A further run of an agent that is known; the parent knows how run number `told` ended. */
	reopen(record: AgentRecord, background: boolean, told: number): void;
	restore(stored: StoredAgent): void;
	/** The parent was told, or is being told, how the last run ended. */
	markTold(record: AgentRecord): void;
	/** Writes the agent as it is now into the parent's session. */
	store(record: AgentRecord): void;
}

/** A book that writes through `append`; `extras` gives what only the manager knows. */
export function createAgentBook(
	append: ExtensionAPI["appendEntry"],
	extras: (id: string) => StoredExtras,
): AgentBook {
	const notes = new Map<string, AgentNote>();

	function store(record: AgentRecord): void {
		const note = notes.get(record.id);
		if (note === undefined) return;
		append<StoredAgent>(ENTRY_TYPE, {
			record: record.toSnapshot(),
			...note,
			...extras(record.id),
		});
	}

	return {
		get: (id) => notes.get(id),
		isUntold(record) {
			const note = notes.get(record.id);
			return note !== undefined && record.isTerminal && note.told < record.runCount;
		},
		open(record, launch, background) {
			notes.set(record.id, { launch, background, told: 0 });
			store(record);
		},
		reopen(record, background, told) {
			const note = notes.get(record.id);
			if (note === undefined) return;
			note.background = background;
			note.told = told;
			store(record);
		},
		restore({ record, launch, background, told }) {
			notes.set(record.id, { launch, background, told });
		},
		markTold(record) {
			const note = notes.get(record.id);
			if (note === undefined || note.told === record.runCount) return;
			note.told = record.runCount;
			store(record);
		},
		store,
	};
}

/** The agents that a session's entries tell of, each as its last entry says. */
export function readStoredAgents(entries: readonly SessionEntry[]): readonly StoredAgent[] {
	const agents = new Map<string, StoredAgent>();
	for (const entry of entries) {
		if (entry.type !== "custom" || entry.customType !== ENTRY_TYPE) continue;
		const stored = entry.data;
		if (isStoredAgent(stored)) agents.set(stored.record.id, stored);
	}
	return [...agents.values()];
}

function isStoredAgent(value: unknown): value is StoredAgent {
	return (
		typeof value === "object" &&
		value !== null &&
		"record" in value &&
		"launch" in value &&
		typeof value.record === "object" &&
		value.record !== null &&
		"id" in value.record &&
		typeof value.record.id === "string" &&
		"status" in value.record
	);
}
