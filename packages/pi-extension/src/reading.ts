import { SessionManager } from "@mariozechner/pi-coding-agent";
import { type AgentRecord, addUsage, emptyUsage } from "@pi-subagents/core";
import { describeAgent } from "@pi-subagents/definitions";
import { type Answers, type Result, reportExtras, type ScopedParts } from "./answers.js";
import { boundText, explainBounds } from "./bounded-text.js";
import { fenced } from "./delivery/notification.js";
import { usageText } from "./format.js";
import { body, headline, reportText } from "./report.js";
import { isInScope } from "./scope.js";
import { startableTypes } from "./startable-types.js";
import { failedResult, textResult } from "./tools/tool-result.js";
import { transcriptText } from "./transcript-text.js";

/** A request for an agent's report. */
export interface ReadRequest {
	readonly id: string;
	readonly wait: boolean;
	/** How long to wait. Absent: as long as it takes. */
	readonly timeoutSeconds: number | undefined;
	readonly verbose: boolean;
	/** Where the report, or with `verbose` the conversation, goes on, in characters. */
	readonly offset: number;
}

/** How agents are listed and read. */
export interface Reading {
	/** All agents and types. */
	list(): Promise<Result>;
	read(request: ReadRequest, signal: AbortSignal | undefined): Promise<Result>;
}

/** The reading of one scope. */
export function createReading(parts: ScopedParts, answers: Answers): Reading {
	const { manager, book, catalog, surroundings, clock, scope } = parts;

	async function list(): Promise<Result> {
		await parts.refreshTypes();
		const now = clock.now();
		const records = manager.listAgents().filter((record) => isInScope(scope, record));
		const agents = records.map((record) => `- ${record.id}: ${headline(record, now)}`);
		const used = emptyUsage();
		for (const record of records) addUsage(used, record.lifetimeUsage);
		const types = startableTypes(catalog, scope).map((type) => `- ${describeAgent(type)}`);
		const piece = boundText(
			[
				agents.length > 0 ? `Agents:\n${agents.join("\n")}` : "There are no agents yet.",
				...(agents.length > 1 ? [`All agents together: ${usageText(used)}.`] : []),
				`Types:\n${types.join("\n")}`,
			].join("\n\n"),
		);
		const rest = piece.to < piece.total ? `\n[${piece.total - piece.to} characters more.]` : "";
		return textResult(piece.text + rest);
	}

	async function read(request: ReadRequest, signal: AbortSignal | undefined): Promise<Result> {
		const record = answers.find(request.id);
		if (record === undefined) return answers.unknown(request.id);
		const problem = checkNumbers(request);
		if (problem !== undefined) return failedResult(problem);
		// One that was stopped gets the moment in which its last text comes.
		if (request.wait || record.isTerminal) {
			await waitFor(record, request.timeoutSeconds, signal);
		}
		if (!manager.isOver(record.id)) return notReady(record, request, signal?.aborted);
		if (request.verbose) {
			book.markTold(record);
			const extras = reportExtras(parts, record);
			const report =
				request.offset > 0 ? `agent_id: ${record.id}` : reportText(record, clock.now(), extras);
			return textResult(`${report}\n\n${conversationText(record, request)}`, answers.view(record));
		}
		if (request.offset === 0) return answers.ended(record);
		return textResult(
			`agent_id: ${record.id}\n\n${body(record, request.offset)}`,
			answers.view(record),
		);
	}

	/** A report on its progress; `interrupted` if whoever waited for the end was told to stop. */
	function notReady(record: AgentRecord, request: ReadRequest, interrupted = false): Result {
		const view = answers.view(record);
		const doing = view.activity ? ` Now: ${view.activity}.` : "";
		const silent = parts.stalls.of(record);
		const lines = [
			`agent_id: ${record.id}`,
			`${headline(record, clock.now())}${doing}`,
			...(silent === undefined ? [] : [silent]),
			...(interrupted ? [`The waiting was interrupted; ${record.id} goes on.`] : []),
			book.get(record.id)?.background
				? "You are told when it ends; do not poll."
				: "It ends with the call that started it; do not poll.",
			...(request.verbose ? ["", conversationText(record, request)] : []),
		];
		return textResult(lines.join("\n"), view);
	}

	/** Resolves at the end of the run, of the time, or with an interruption, whichever comes first. */
	async function waitFor(
		record: AgentRecord,
		seconds: number | undefined,
		signal: AbortSignal | undefined,
	): Promise<void> {
		const timeout = new AbortController();
		const cancel = seconds ? clock.setTimeout(() => timeout.abort(), seconds * 1000) : () => {};
		const either = signal ? AbortSignal.any([timeout.signal, signal]) : timeout.signal;
		try {
			await manager.wait(record.id, either);
		} catch {
			// The caller looks at the record and at its own signal.
		} finally {
			cancel();
		}
	}

	function conversationText(record: AgentRecord, { offset }: ReadRequest): string {
		const stored = record.sessionFile
			? SessionManager.open(record.sessionFile)
			: surroundings.unstored.get(record.id);
		const text = transcriptText(stored?.buildSessionContext().messages ?? []);
		const piece = explainBounds(boundText(text, offset), record.id);
		return fenced(piece.replace(/"offset":(\d+)\}\)\]$/, '"verbose":true,"offset":$1})]'));
	}

	return { list, read };
}

function checkNumbers({ timeoutSeconds, offset }: ReadRequest): string | undefined {
	if (timeoutSeconds !== undefined && timeoutSeconds < 0) {
		return `timeout_seconds is ${timeoutSeconds}; it must be a number of 0 or more.`;
	}
	return offset < 0 ? `offset is ${offset}; it must be a number of 0 or more.` : undefined;
}
