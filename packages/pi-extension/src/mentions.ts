import type { AgentRecord } from "@pi-subagents/core";

/** A text that is for an agent. */
export type Mention =
	| { readonly kind: "agent"; readonly record: AgentRecord; readonly text: string }
	| { readonly kind: "type"; readonly type: string; readonly text: string };

/** What can be mentioned. */
export interface Mentionable {
	/** Oldest first. */
	readonly agents: readonly AgentRecord[];
	/** The types that can be started. */
	readonly types: readonly { readonly name: string; readonly description: string }[];
}

/** A name with what it stands for, for completion. */
export interface MentionName {
	readonly name: string;
	readonly about: string;
}

/**
 * Who a text that begins with `@name ` is for. A name is an agent's id, its description in lower case with hyphens, or a
 * type. `undefined` for every other text, also for one that only names an agent.
 */
export function readMention(text: string, { agents, types }: Mentionable): Mention | undefined {
	const [, name, rest] = /^@([^\s@]+)\s+(\S[\s\S]*)$/.exec(text) ?? [];
	if (name === undefined || rest === undefined) return undefined;
	const key = name.toLowerCase();
	const record =
		agents.find(({ id }) => id === name) ??
		agents.find((agent) => handleOf(agent, agents, types)?.toLowerCase() === key);
	if (record !== undefined) return { kind: "agent", record, text: rest };
	const type = types.find((each) => each.name.toLowerCase() === key);
	return type && { kind: "type", type: type.name, text: rest };
}

/** All names, newest agents first, then the types. */
export function mentionNames({ agents, types }: Mentionable): readonly MentionName[] {
	return [
		...agents.toReversed().map((record) => ({
			name: handleOf(record, agents, types) ?? record.id,
			about: `${record.isTerminal ? "resume" : "message"} ${record.type} ${record.id}`,
		})),
		...types.map(({ name, description }) => ({ name, about: `start: ${description}` })),
	];
}

/** The description as a name, unless another agent or a type has it, too. */
function handleOf(
	record: AgentRecord,
	agents: readonly AgentRecord[],
	types: Mentionable["types"],
): string | undefined {
	const handle = slug(record.description);
	const taken =
		agents.some((other) => other !== record && slug(other.description) === handle) ||
		types.some(({ name }) => name.toLowerCase() === handle);
	return handle === "" || taken ? undefined : handle;
}

function slug(description: string): string {
	return description
		.toLowerCase()
		.split(/[^\p{L}\p{N}]+/u)
		.filter((word) => word !== "")
		.join("-")
		.slice(0, 40);
}
