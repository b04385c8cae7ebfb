import type { AgentDefinition } from "@pi-subagents/core";

/**
 * What a child is told about itself, after what the host says about directory, tools, skills and date. The same bytes
 * for every run of one definition, so that the provider's prompt cache is hit: no time, no id, no task.
 */
export function childInstructions(
	definition: Pick<AgentDefinition, "name" | "prompt">,
	notes: readonly string[],
): string {
	const name = definition.name.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? character);
	return [
		`<active_agent name="${name}"/>`,
		"You are a sub-agent: another agent gave you one task and sees nothing of your work but your last message. " +
			"Do the task alone and completely, do not ask back, and end with a message that holds everything the other agent needs: " +
			"results, paths, and what you could not do.",
		definition.prompt.trim(),
		...notes,
	]
		.filter((part) => part !== "")
		.join("\n\n");
}

const ESCAPES: Readonly<Record<string, string>> = {
	"&": "&amp;",
	"<": "&lt;",
	">": "&gt;",
	'"': "&quot;",
};
