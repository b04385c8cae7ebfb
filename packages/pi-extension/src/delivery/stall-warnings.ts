import type { AgentRecord } from "@pi-subagents/core";
import { type AgentManager, type Clock, type Silence, watchSilence } from "@pi-subagents/runner";
import { formatDuration, oneLine } from "../format.js";

/** What stall warnings stand between. */
export interface StallContext<Context> {
	readonly manager: AgentManager<Context>;
	readonly clock: Clock;
	/** How long an agent may be silent; 0 means for ever. */
	readonly seconds: () => number;
	/** Whether a message to the parent would start a run, and disturb none. */
	readonly isParentAtRest: () => boolean;
	readonly tellPerson: (line: string) => void;
	/** Sends one message, and starts a run of the parent. */
	readonly tellParent: (text: string) => void;
}

/** Tells person and parent of each silence of an agent once, and only while it lasts. */
export interface StallWarnings {
	/** The parent came to rest: it is told of those that are still silent. */
	check(): void;
	/** A sentence about an agent of which nothing is heard. */
	of(record: AgentRecord): string | undefined;
	stop(): void;
}

interface Watched {
	readonly record: AgentRecord;
	readonly silence: Pick<Silence, "isSilent" | "stop">;
	/** When it was heard of last. */
	silentSince: number;
	told: boolean;
}

/** Watches every session of the manager. No timer runs without one. */
export function createStallWarnings<Context>(context: StallContext<Context>): StallWarnings {
	const { manager, clock } = context;
	const agents = new Map<string, Watched>();

	function forget(id: string): void {
		agents.get(id)?.silence.stop();
		agents.delete(id);
	}

	function sentence({ record, silentSince }: Watched): string {
		const name = `${record.id} (${record.type} "${oneLine(record.description, 60)}")`;
		return `Nothing was heard of ${name} for ${formatDuration(clock.now() - silentSince)}, while its model should answer.`;
	}

	function check(): void {
		if (!context.isParentAtRest()) return;
		const silent = [...agents.values()].filter(({ silence, told }) => silence.isSilent && !told);
		if (silent.length === 0) return;
		for (const each of silent) each.told = true;
		const lines = silent.map(sentence);
		const advice =
			"Its provider may be slow or gone. End your turn to wait on, or stop it with stop_subagent.";
		context.tellParent(`${lines.join("\n")}\n${advice}`);
	}

	const stopListening = manager.subscribe((event) => {
		const { record } = event;
		if (event.type === "run_ended") forget(record.id);
		if (event.type !== "session_created") return;
		forget(record.id);
		const seconds = context.seconds();
		const watched: Watched = {
			record,
			silentSince: clock.now(),
			told: false,
			silence: watchSilence(event.session, clock, [
				{
					seconds,
					act() {
						watched.silentSince = clock.now() - seconds * 1000;
						watched.told = false;
						context.tellPerson(sentence(watched));
						check();
					},
				},
			]),
		};
		agents.set(record.id, watched);
	});

	return {
		check,
		of(record) {
			const watched = agents.get(record.id);
			return watched?.silence.isSilent ? sentence(watched) : undefined;
		},
		stop() {
			stopListening();
			for (const id of [...agents.keys()]) forget(id);
		},
	};
}
