import type { AgentRecord } from "@pi-subagents/core";
import { createAnswers, type Result, type ScopedParts } from "./answers.js";
import { sumOf } from "./cost.js";
import { createDelegation, type Delegation } from "./delegation.js";
import { formatStatus, plural } from "./format.js";
import { toHostUsage } from "./host/session-usage.js";
import { createReading, type Reading } from "./reading.js";
import { headline } from "./report.js";
import { isInScope } from "./scope.js";
import { failedResult, textResult } from "./tools/tool-result.js";

/** What `stop_subagent` takes for every agent. */
const ALL = "all";

/** What the tools of one scope do. */
export interface Subagents extends Delegation, Reading {
	/** Whether agents can run in the background; those of an agent are always waited for. */
	readonly hasBackground: boolean;
	steer(id: string, message: string): Promise<Result>;
	/**
	 * Stops an agent, or with the id `all` every one that is alive, and waits until it is over, or until `signal` aborts. By
	 * then it is told to stop, in any case.
	 */
	stop(id: string, signal?: AbortSignal): Promise<Result>;
}

/** The tools' actions for one scope. */
export function createSubagents(parts: ScopedParts): Subagents {
	const { manager, book, clock, scope } = parts;
	const answers = createAnswers(parts);
	const delegation = createDelegation(parts, answers);
	const reading = createReading(parts, answers);

	async function steer(id: string, message: string): Promise<Result> {
		const record = answers.find(id);
		if (record === undefined) return answers.unknown(id);
		if (message.trim() === "") {
			return failedResult("The message is empty; say what the agent has to know.");
		}
		const answer = await manager.steer(id, message).catch((error: unknown) => error);
		const view = answers.view(record);
		switch (answer) {
			case "delivered":
				return textResult(`${id} has the message and reads it after its current tool calls.`, view);
			case "kept":
				return textResult(
					`${id} is ${record.status} and not ready yet; it reads the message first.`,
					view,
				);
			case "ended":
				return failedResult(
					`${id} has already ended: ${formatStatus(record)}. Give it a further task with subagent and resume: "${id}".`,
					view,
				);
			default:
				return failedResult(`${id} did not take the message: ${String(answer)}.`, view);
		}
	}

	async function stop(id: string, signal?: AbortSignal): Promise<Result> {
		const record = answers.find(id);
		if (record === undefined) return id.trim() === ALL ? stopAll(signal) : answers.unknown(id);
		if (manager.abort(id, "parent") === "already_ended") {
			return failedResult(
				`${id} has already ended: ${formatStatus(record)}.`,
				answers.view(record),
			);
		}
		if (await isOver(record, signal)) return answers.ended(record);
		return textResult(`${id} was told to stop and is still ending.`, answers.view(record));
	}

	async function stopAll(signal: AbortSignal | undefined): Promise<Result> {
		const alive = manager
			.listAgents()
			.filter((record) => isInScope(scope, record) && !record.isTerminal);
		if (alive.length === 0) return failedResult("No agent is running or queued.");
		// The queue first, so that none of it starts.
		for (const status of ["queued", "running"]) {
			for (const record of alive) if (record.status === status) manager.abort(record.id, "parent");
		}
		const over = await Promise.all(alive.map((record) => isOver(record, signal)));
		const lines = alive.map((record, index) => {
			if (over[index]) book.markTold(record);
			return `- ${record.id}: ${over[index] ? headline(record, clock.now()) : "still ending."}`;
		});
		const told = `${plural(alive.length, "agent")} stopped; get_subagent_result has what each had.`;
		return textResult([told, ...lines].join("\n"));
	}

	/** Waits for the end of a run that was told to stop; false if `signal` aborts before. */
	function isOver({ id }: AgentRecord, signal: AbortSignal | undefined): Promise<boolean> {
		return manager.wait(id, signal).then(
			() => true,
			() => false,
		);
	}

	/** In print and JSON mode there is nobody to tell that an agent file is wrong but the model, which can say it. */
	function withUntold(result: Result): Result {
		const lines = parts.scope.parentId === undefined ? parts.untold.take() : [];
		if (lines.length === 0) return result;
		const text = lines.map((line) => `Note: ${line}`).join("\n");
		return { ...result, content: [...result.content, { type: "text", text }] };
	}

	/** Charges the session with what ended agents have used; hosts that know no usage on results ignore it. */
	function charged<Arguments extends unknown[]>(
		action: (...args: Arguments) => Promise<Result>,
	): (...args: Arguments) => Promise<Result> {
		return async (...args) => {
			const result = await action(...args);
			const charges = parts.ledger.take();
			return charges.length === 0 ? result : { ...result, usage: toHostUsage(sumOf(charges)) };
		};
	}

	return {
		hasBackground: parts.scope.parentId === undefined,
		begin: delegation.begin,
		delegate: charged(async (...args) => withUntold(await delegation.delegate(...args))),
		list: charged(reading.list),
		read: charged(reading.read),
		steer: charged(steer),
		stop: charged(stop),
	};
}
