import type { ModelStep } from "@pi-subagents/test-helpers";
import { COUNT_TESTS, LIST_PACKAGES, MEASURE_SOURCE, STEERING } from "./tasks.js";

/** Where an agent is in its task. */
export interface AgentWork {
	/** How often it has answered. */
	readonly step: number;
	/** The texts of all tool results so far, in the order of the calls. */
	readonly results: readonly string[];
	/** The messages that it was sent since it has its task. */
	readonly messages: readonly string[];
}

/** What the scripted model answers as an agent with this task, by its prompt; what it reports is from real tool results. */
export function scriptedAgent(prompt: string, work: AgentWork): ModelStep {
	if (prompt.includes(COUNT_TESTS.prompt)) return countTests(work);
	if (prompt.includes(LIST_PACKAGES.prompt)) return listPackages(work);
	if (prompt.includes(MEASURE_SOURCE.prompt)) return measureSource(work);
	return { text: "A scripted model cannot do this task." };
}

const TEST_FILES =
	"find packages e2e examples -name node_modules -prune -o -name '*.test.ts' -print";

function countTests({ step, results }: AgentWork): ModelStep {
	if (step === 0) {
		return {
			text: "I count the test files, and look how they are run.",
			tools: [
				bash(`${TEST_FILES} | wc -l`),
				bash(`${TEST_FILES} | xargs wc -l | sort -rn | head -3`),
				{ name: "read", args: { path: "package.json" } },
			],
		};
	}
	const [count = "", lengths = "", manifest = ""] = results;
	const [all, longest] = numbered(lengths);
	const command = /"test": "([^"]+)"/.exec(manifest)?.[1] ?? "(none)";
	return {
		text:
			`There are ${count.trim()} test files with ${all?.count ?? 0} lines. The longest is ${longest?.name ?? "(none)"} ` +
			`(${longest?.count ?? 0} lines). They run with \`${command}\`.`,
	};
}

function listPackages({ step, results }: AgentWork): ModelStep {
	const [list = ""] = results;
	const folders = list.split("\n").filter((line) => line.endsWith("/"));
	if (step === 0) {
		return {
			text: "I look into the folder packages.",
			tools: [{ name: "ls", args: { path: "packages" } }],
		};
	}
	if (step === 1) {
		return {
			text: `There are ${folders.length}. I read what each says of itself.`,
			tools: folders.map((folder) => ({
				name: "read",
				args: { path: `packages/${folder}package.json`, limit: 10 },
			})),
		};
	}
	const lines = folders.map((folder, index) => {
		const description = /"description": "([^"]+)"/.exec(results[index + 1] ?? "")?.[1];
		return `- ${folder.slice(0, -1)}: ${description ?? "(no description)"}`;
	});
	return { text: `There are ${folders.length} packages:\n${lines.join("\n")}` };
}

function measureSource({ step, results, messages }: AgentWork): ModelStep {
	if (step === 0) {
		return {
			text: "I count the lines of each package.",
			tools: [
				bash(
					"cd packages && for p in *; do echo $(find $p/src -name '*.ts' -exec cat {} + | wc -l) $p; done | sort -rn",
				),
			],
		};
	}
	const isSteered = messages.some((message) => message.includes(STEERING));
	if (step === 1 && isSteered) {
		return {
			text: "And I look for the longest file.",
			tools: [bash("find packages/*/src -name '*.ts' -exec wc -l {} + | sort -rn | head -2")],
		};
	}
	const packages = numbered(results[0] ?? "");
	const sum = packages.reduce((total, { count }) => total + count, 0);
	const [, longest] = numbered(results[1] ?? "");
	const list = packages.map(({ count, name }) => `${name} ${count}`).join(", ");
	const more = longest ? ` The longest file is ${longest.name} (${longest.count} lines).` : "";
	return { text: `The packages have ${sum} lines: ${list}.${more}` };
}

function bash(command: string): { readonly name: string; readonly args: unknown } {
	return { name: "bash", args: { command } };
}

/** Lines of a number and a name, as `wc` prints them. */
function numbered(text: string): readonly { readonly count: number; readonly name: string }[] {
	return [...text.matchAll(/^\s*(\d+)\s+(\S+)$/gm)].map(([, count = "0", name = ""]) => ({
		count: Number(count),
		name,
	}));
}
