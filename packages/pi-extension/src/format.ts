import { type AgentRecord, describeOutcome, totalTokens, type Usage } from "@pi-subagents/core";

/** `1 turn`, `2 turns`. */
export function plural(count: number, word: string): string {
	return `${count} ${word}${count === 1 ? "" : "s"}`;
}

/** `999`, `33.8k`, `1.2M`. */
export function formatTokens(tokens: number): string {
	if (tokens < 1000) return String(Math.round(tokens));
	if (tokens < 999_950) return `${(tokens / 1000).toFixed(1)}k`;
	return `${(tokens / 1_000_000).toFixed(1)}M`;
}

/** `$0.0042`, `$1.30`; empty for nothing, because a cost of 0 is more often unknown than free. */
export function formatCost(dollars: number): string {
	if (dollars <= 0) return "";
	return `$${dollars.toFixed(dollars < 0.1 ? 4 : 2)}`;
}

/** `12.3k tokens, $0.0042` */
export function usageText(usage: Readonly<Usage>): string {
	const parts = [`${formatTokens(totalTokens(usage))} tokens`, formatCost(usage.cost)];
	return parts.filter((part) => part !== "").join(", ");
}

/** `0.4s`, `42s`, `3m 05s`, `1h 02m`. */
export function formatDuration(milliseconds: number): string {
	const seconds = Math.max(0, milliseconds) / 1000;
	if (seconds < 9.95) return `${seconds.toFixed(1)}s`;
	if (seconds < 59.5) return `${Math.round(seconds)}s`;
	const minutes = Math.floor(Math.round(seconds) / 60);
	const rest = (value: number): string => String(value).padStart(2, "0");
	return minutes < 60
		? `${minutes}m ${rest(Math.round(seconds) % 60)}s`
		: `${Math.floor(minutes / 60)}h ${rest(minutes % 60)}m`;
}

/** `3 turns, 5 tool uses, 12.3k tokens, $0.0042, 8.1s`: what an agent has used so far; the time is that of its last run. */
export function formatStats(record: AgentRecord, now: number): string {
	const usage = record.lifetimeUsage;
	const elapsed =
		record.startedAt === undefined
			? ""
			: formatDuration((record.completedAt ?? now) - record.startedAt);
	return [
		record.turnCount > 0 ? plural(record.turnCount, "turn") : "",
		record.toolUses > 0 ? plural(record.toolUses, "tool use") : "",
		totalTokens(usage) > 0 ? `${formatTokens(totalTokens(usage))} tokens` : "",
		formatCost(usage.cost),
		elapsed,
	]
		.filter((part) => part !== "")
		.join(", ");
}

/** The status in words: `running`, `queued`, or how the run ended. */
export function formatStatus(record: AgentRecord): string {
	return record.outcome === undefined ? record.status : describeOutcome(record.outcome);
}

/**
 * One line of at most `length` characters, without control characters and without those that turn the direction of the
 * text around them.
 */
export function oneLine(text: string, length: number): string {
	const line = text
		.replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, "")
		.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
		.trim();
	const characters = [...line];
	return characters.length <= length ? line : `${characters.slice(0, length - 1).join("")}…`;
}
