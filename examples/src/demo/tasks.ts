/** A task that the parent hands to an agent. */
export interface DemoTask {
	readonly type: string;
	readonly description: string;
	readonly prompt: string;
}

export const COUNT_TESTS: DemoTask = {
	type: "general-purpose",
	description: "Count the tests",
	prompt:
		"Count the files named *.test.ts in packages, e2e and examples, and their lines, without node_modules. " +
		"Which one is the longest, and with what command of package.json do they run? Change nothing.",
};

export const LIST_PACKAGES: DemoTask = {
	type: "Explore",
	description: "List the packages",
	prompt:
		"Which packages are in the folder packages, and what is each one for, by the description in its package.json? " +
		"Change nothing.",
};

export const MEASURE_SOURCE: DemoTask = {
	type: "general-purpose",
	description: "Measure the source",
	prompt:
		"How many lines of TypeScript does the folder src of each package in packages have, and how many are they " +
		"together? Change nothing.",
};

/** What the parent sends to the agent that measures the source, while it works. */
export const STEERING = "Also name the longest source file.";

/** What the person asks for in the demonstration; words for a real model, and the scripted one has them, too. */
export const DEMO_PROMPT: string = `Delegate three tasks about this project to sub-agents. Do none of them yourself.

1. In the foreground, that is, wait for its answer:
${lines(COUNT_TESTS)}
2. When you have that answer, start these two in one message, both in the background:
${lines(LIST_PACKAGES)}
${lines(MEASURE_SOURCE)}
3. As soon as they run, and without waiting, steer the agent that has "${MEASURE_SOURCE.description}" with this message: ${STEERING}
4. Then end your turn. You are told when they have ended. Then sum up in a few lines what all three found.`;

/** What is in the editor of the interactive pi when it opens. */
export const TUI_PROMPT =
	"Let three agents look at this project in the background: its tests, its packages, its source.";

function lines({ type, description, prompt }: DemoTask): string {
	return `   - subagent_type "${type}", description "${description}", prompt: ${prompt}`;
}
