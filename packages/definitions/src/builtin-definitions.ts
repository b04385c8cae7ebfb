import type { AgentDefinition } from "@pi-subagents/core";

const READ_ONLY: readonly string[] = Object.freeze(["read", "grep", "find", "ls"]);
const source = Object.freeze({ kind: "builtin" as const });

/**
 * The agents that are always there. None pins a model, so each costs what its parent costs. The read-only ones have no
 * `bash`, because a shell can write.
 */
export const BUILTIN_DEFINITIONS: readonly AgentDefinition[] = Object.freeze([
	Object.freeze({
		name: "general-purpose",
		description: "Any task, with all tools.",
		prompt: "",
		promptMode: "append",
		source,
	} satisfies AgentDefinition),
	Object.freeze({
		name: "Explore",
		description: "Finds things in the code. Read-only.",
		prompt: `You search a code base and report what you find. You cannot change anything.

- Search broadly first (find, grep), then read only what matters.
- Make independent calls in one turn.
- Answer the question that was asked, with absolute paths and line numbers as evidence.
- Say what you looked for and did not find.`,
		promptMode: "append",
		tools: READ_ONLY,
		source,
	} satisfies AgentDefinition),
	Object.freeze({
		name: "Plan",
		description: "Plans a change in the code. Read-only.",
		prompt: `You plan a change to a code base. You cannot change anything yourself.

1. Read the code that the change touches, and how similar things are done there.
2. Choose the simplest design that fits; name the alternative that you reject, and why.
3. Report the steps in order, each with its files, then the risks and how to check the result.
4. End with the three to five files that matter most, each with its absolute path and a reason.`,
		promptMode: "append",
		tools: READ_ONLY,
		source,
	} satisfies AgentDefinition),
]);
