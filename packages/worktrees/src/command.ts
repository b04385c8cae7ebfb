import { parseArgs } from "node:util";
import { diffWorktree } from "./diff-worktree.js";
import { explainError } from "./explain.js";
import type { Git } from "./git.js";
import { type ListedWorktree, listWorktrees } from "./list-worktrees.js";
import { mergeWorktree, previewMerge } from "./merge-worktree.js";
import { count } from "./names.js";
import { openCommand } from "./open-command.js";
import { removeWorktree } from "./remove-worktree.js";
import { saveWorktree } from "./save-worktree.js";

/** What the command writes to, and what it works with. */
export interface CommandContext {
	/** Relative directories are meant from here. */
	readonly cwd: string;
	/** Writes a line, or a whole patch. */
	readonly print: (text: string) => void;
	readonly printError: (text: string) => void;
	readonly git?: Git;
}

const USAGE = `Usage: pi-subagents-worktrees COMMAND [--repo DIR] [--directory DIR]

  list               the worktrees of agents in this repository
  open NAME          a command that goes into the directory, and makes it again if there is only the branch
  diff NAME          what an agent changed
  merge NAME         says what a merge into the checkout at --repo would do; with --yes, does it
  clean [NAME...]    says what would be done with worktrees of ended agents; with --yes, puts their work on branches,
                     removes their directories, and removes what is empty or merged; with --discard as well, removes
                     the named ones with their work

  --repo DIR         a directory in the checkout (default: here)
  --directory DIR    where the worktrees live, if not in the default place`;

const OPTIONS = {
	repo: { type: "string" },
	directory: { type: "string" },
	yes: { type: "boolean", default: false },
	discard: { type: "boolean", default: false },
	help: { type: "boolean", short: "h", default: false },
} as const;

/**
 * The command `pi-subagents-worktrees`.
 *
 * @returns the exit code: 0 if all went well, 1 if something could not be done, 2 for a wrong call
 */
export async function runCommand(
	args: readonly string[],
	context: CommandContext,
): Promise<number> {
	let parsed: ReturnType<typeof parse>;
	try {
		parsed = parse(args);
	} catch (error) {
		context.printError(`${explainError(error)}\n\n${USAGE}`);
		return 2;
	}
	const { values, positionals } = parsed;
	const [command, ...names] = positionals;
	if (values.help) {
		context.print(USAGE);
		return 0;
	}
	const wrong = check(command, names, values.discard);
	if (wrong !== undefined) {
		context.printError(`${wrong}\n\n${USAGE}`);
		return 2;
	}
	const repo = values.repo ?? context.cwd;
	const { worktrees, problems } = await listWorktrees({
		repo,
		...(values.directory !== undefined && { directory: values.directory }),
		...(context.git && { git: context.git }),
	});
	for (const problem of problems) context.printError(problem);
	if (worktrees.length === 0 && problems.length > 0) return 1;

	const chosen: ListedWorktree[] = [];
	for (const name of names) {
		const found = worktrees.find(({ worktree: { agentId, branch, name: own } }) =>
			[own, agentId, branch].includes(name),
		);
		if (!found) {
			context.printError(`There is no worktree ${name}; \`list\` shows them.`);
			return 1;
		}
		chosen.push(found);
	}
	const failed = await run();
	return failed || problems.length > 0 ? 1 : 0;

	async function run(): Promise<boolean> {
		const call = context.git ? { git: context.git } : {};
		const [first] = chosen;
		if (command === "list") {
			if (worktrees.length === 0) context.print("There are no worktrees of agents.");
			for (const listed of worktrees) context.print(describe(listed));
			return false;
		}
		if (command === "open" && first) {
			context.print(openCommand(first.worktree, first.hasDirectory));
			return false;
		}
		if (command === "diff" && first) {
			const diff = await diffWorktree(first.worktree, call);
			if (diff.ok) context.print(diff.patch);
			else context.printError(diff.problem);
			return !diff.ok;
		}
		if (command === "merge" && first) {
			return merge(first, { ...call, into: repo }, values.yes, context);
		}
		let any = false;
		for (const listed of names.length > 0 ? chosen : worktrees) {
			any = (await clean(listed, call, values, context)) || any;
		}
		if (worktrees.length === 0) context.print("There is nothing to clean.");
		else if (!values.yes) context.print("Nothing was changed; --yes does it.");
		return any;
	}
}

function parse(args: readonly string[]) {
	return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
}

function check(
	command: string | undefined,
	names: readonly string[],
	discard: boolean,
): string | undefined {
	if (command === undefined) return "Which command?";
	if (!["list", "open", "diff", "merge", "clean"].includes(command))
		return `Unknown command ${command}.`;
	if (command === "list" && names.length > 0) return "`list` takes no name.";
	if (["open", "diff", "merge"].includes(command) && names.length !== 1) {
		return `\`${command}\` takes one name.`;
	}
	if (discard && (command !== "clean" || names.length === 0)) {
		return "`--discard` is for `clean` with names.";
	}
	return undefined;
}

function describe({ worktree, state, commits, uncommitted, ...rest }: ListedWorktree): string {
	const facts = [
		...(commits === undefined ? [] : [count(commits, "commit")]),
		...(uncommitted ? [count(uncommitted, "uncommitted file")] : []),
		...(rest.merged ? ["merged"] : []),
	];
	const place = rest.hasDirectory ? `, ${worktree.directory}` : "";
	const task = worktree.description === "" ? "" : ` (${worktree.description})`;
	return `${state.padEnd(8)} ${worktree.name}${task}: ${facts.join(", ") || "no commits"}, on ${worktree.branch}${place}`;
}

async function merge(
	{ worktree }: ListedWorktree,
	options: { readonly git?: Git; readonly into: string },
	yes: boolean,
	context: CommandContext,
): Promise<boolean> {
	if (yes) {
		const result = await mergeWorktree(worktree, options);
		(result.merged ? context.print : context.printError)(result.text);
		return !result.merged;
	}
	const preview = await previewMerge(worktree, options);
	if (!preview.ok) {
		context.printError(preview.problem);
		return true;
	}
	context.print(preview.text);
	if (preview.clean) context.print("Nothing was changed; --yes does it.");
	return !preview.clean;
}

async function clean(
	{ worktree, state, hasDirectory, merged, commits }: ListedWorktree,
	call: { readonly git?: Git },
	{ yes, discard }: { readonly yes: boolean; readonly discard: boolean },
	context: CommandContext,
): Promise<boolean> {
	const { name, branch } = worktree;
	if (state === "running") {
		context.print(`${name}: its agent is still running; it is left alone.`);
		return false;
	}
	if (discard || (state === "saved" && (merged || commits === 0))) {
		if (!yes) {
			context.print(`${name}: would be removed${discard ? " with its work" : ""}.`);
			return false;
		}
		const result = await removeWorktree(worktree, { ...call, discard });
		context.print(result.text);
		return !result.removed;
	}
	if (!hasDirectory && state === "saved") {
		context.print(`${name}: its work on ${branch} is not merged; it stays.`);
		return false;
	}
	if (!yes) {
		context.print(`${name}: its work would be put on ${branch}, and its directory removed.`);
		return false;
	}
	const report = await saveWorktree(worktree, call);
	context.print(report.text);
	return report.problems.length > 0;
}
