import type { StopReason } from "@pi-subagents/core";
import { createAnswers, type Result, type ScopedParts } from "./answers.js";
import { sumOf } from "./cost.js";
import { createDelegation, type Delegation } from "./delegation.js";
import { formatStatus } from "./format.js";
import { toHostUsage } from "./host/session-usage.js";
import { createReading, type Reading } from "./reading.js";
import { failedResult, textResult } from "./tools/tool-result.js";

/** What the tools of one scope do. */
export interface Subagents extends Delegation, Reading {
	/** Whether agents can run in the background; those of an agent are always waited for. */
	readonly hasBackground: boolean;
	steer(id: string, message: string): Promise<Result>;
	stop(id: string, by?: StopReason): Promise<Result>;
}

/** The tools' actions for one scope. */
export function createSubagents(parts: ScopedParts): Subagents {
	const { manager } = parts;
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

	async function stop(id: string, by: StopReason = "parent"): Promise<Result> {
		const record = answers.find(id);
		if (record === undefined) return answers.unknown(id);
		if (manager.abort(id, by) === "already_ended") {
			return failedResult(
				`${id} has already ended: ${formatStatus(record)}.`,
				answers.view(record),
			);
		}
		return answers.ended(await manager.wait(id));
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
