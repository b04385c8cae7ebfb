import type { AgentToolResult } from "@mariozechner/pi-agent-core";

/** What a result of this extension's tools carries for its renderer; plain JSON. */
export interface ToolDetails {
	/** Whether the call failed; makes the result an error on both hosts. */
	readonly failed: boolean;
	/** The agent that the result is about. */
	readonly agent?: AgentView;
}

/** An agent as a card shows it. */
export interface AgentView {
	readonly id: string;
	readonly type: string;
	readonly description: string;
	readonly status: string;
	/** The status in words. */
	readonly statusText: string;
	readonly stats: string;
	/** What it is doing, while it runs. */
	readonly activity?: string;
}

/** A result with one text. */
export function textResult(text: string, agent?: AgentView): AgentToolResult<ToolDetails> {
	return result(text, { failed: false, ...(agent && { agent }) });
}

/** A result that the model sees as an error. */
export function failedResult(text: string, agent?: AgentView): AgentToolResult<ToolDetails> {
	return result(text, { failed: true, ...(agent && { agent }) });
}

function result(text: string, details: ToolDetails): AgentToolResult<ToolDetails> {
	return { content: [{ type: "text", text }], details };
}

/** Whether the details are those of a failed call of this extension's tools. */
export function isFailedResult(details: unknown): boolean {
	return (
		typeof details === "object" &&
		details !== null &&
		"failed" in details &&
		details.failed === true
	);
}

/**
 * The arguments without those that say nothing: models fill in every field that they see, with `""`, `null`, `0` or
 * `[]`. A required one that is missing or `null` becomes `""`, so that the tool and not the host says what is wrong.
 * Called by the hosts before they check the arguments.
 */
export function prepareArguments(
	args: unknown,
	required: readonly string[],
): Record<string, unknown> {
	const given = typeof args === "object" && args !== null ? Object.entries(args) : [];
	const kept = given.filter(([name, value]) => !required.includes(name) && !isInert(value));
	const values = Object.fromEntries(given);
	const demanded = required.map((name) => [name, values[name] ?? ""]);
	return Object.fromEntries([...demanded, ...kept]);
}

function isInert(value: unknown): boolean {
	return (
		value === null ||
		value === 0 ||
		(typeof value === "string" && value.trim() === "") ||
		(Array.isArray(value) && value.length === 0)
	);
}
