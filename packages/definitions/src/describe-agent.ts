import type { AgentDefinition } from "@pi-subagents/core";

/**
 * `name: description` on one line, for the list that the parent's model reads. Whatever the description holds, it stays
 * data: line ends become blanks, angle brackets become look-alikes that close no tag, and a long text is cut.
 */
export function describeAgent(
	{ name, description }: Pick<AgentDefinition, "name" | "description">,
	maxCharacters = 300,
): string {
	const line = `${name}: ${description}`
		.replace(/[\s\p{Cc}\u2028\u2029]+/gu, " ")
		.replace(/[\u202A-\u202E\u2066-\u2069]/g, "")
		.replaceAll("<", "\u2039")
		.replaceAll(">", "\u203A")
		.trim();
	const characters = [...line];
	return characters.length > maxCharacters
		? `${characters.slice(0, maxCharacters - 1).join("")}…`
		: line;
}
