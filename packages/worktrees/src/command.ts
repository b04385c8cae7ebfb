import { parseArgs } from "node:util";
import { commandLine, describe, describeUnrecorded, howToGoOn } from "./command-text.js";
import { diffWorktree } from "./diff-worktree.js";
import { explainError } from "./explain.js";
import type { Git } from "./git.js";
import { type ListedWorktree, listWorktrees } from "./list-worktrees.js";
import type { MergeOptions } from "./merge-plan.js";
import { mergeWorktree, previewMerge } from "./merge-worktree.js";
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
	/**
	 * How the command was called, for calls that are proposed.
	 * @defaultValue `pi-subagents-worktrees`
	 */
	readonly command?: string;
}

const USAGE = `Usage: pi-subagents-worktrees COMMAND [--repo DIR] [--directory DIR]

  list               the worktrees of agents in this repository
  open NAME          a command that goes into the directory, and makes it again if there is only the branch
  diff NAME          what an agent changed
  save NAME          puts the work of an ended agent on its branch, and removes its directory
  merge NAME         says what a merge into the checkout at --repo would do; with --yes, does it; with --changes, as
                     uncommitted changes; with --conflicts, in spite of conflicts, which are then marked in the files
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
	changes: { type: "boolean", default: false },
	conflicts: { type: "boolean", default: false },
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
	const wrong = check(command, names, values);
	if (wrong !== undefined) {
		context.printError(`${wrong}\n\n${USAGE}`);
		return 2;
	}
	const repo = values.repo ?? context.cwd;
	const { worktrees, unrecorded, problems } = await listWorktrees({
		repo,
		...(values.directory !== undefined && { directory: values.directory }),
		...(context.git && { git: context.git }),
	});
	for (const problem of problems) context.printError(problem);
	if (worktrees.length + unrecorded.length === 0 && problems.length > 0) return 1;
	/** A further call, with the options that say where. */
	const further = (text: string): string =>
		commandLine(context.command ?? "pi-subagents-worktrees", text, values);

	const chosen: ListedWorktree[] = [];
	for (const name of names) {
		const found = worktrees.find(({ worktree: { agentId, branch, name: own } }) =>
			[own, agentId, branch].includes(name),
		);
		if (!found) {
			const branch = unrecorded.find((unknown) => unknown.branch === name);
			context.printError(
				branch === undefined
					? `There is no worktree ${name}; \`${further("list")}\` shows them.`
					: `${describeUnrecorded(branch)}. ${howToGoOn(branch, repo)}`,
			);
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
			if (worktrees.length + unrecorded.length === 0) {
				context.print("There are no worktrees of agents.");
			}
			for (const listed of worktrees) context.print(describe(listed));
			for (const branch of unrecorded) context.print(describeUnrecorded(branch));
			if (unrecorded[0]) context.print(howToGoOn(unrecorded[0], repo));
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
		if (command === "save" && first) {
			const report = await saveWorktree(first.worktree, call);
			(report.problems.length > 0 ? context.printError : context.print)(report.text);
			return report.problems.length > 0;
		}
		if (command === "merge" && first) {
			const mode = values.changes ? { mode: "changes" as const } : {};
			return merge(first, { ...call, ...mode, into: repo }, values, context, further);
		}
		let any = false;
		for (const listed of names.length > 0 ? chosen : worktrees) {
			any = (await clean(listed, call, values, context)) || any;
		}
		if (names.length === 0) {
			for (const branch of unrecorded) context.print(`${describeUnrecorded(branch)}; it stays.`);
			if (unrecorded[0]) context.print(howToGoOn(unrecorded[0], repo));
		}
		if (worktrees.length + unrecorded.length === 0) context.print("There is nothing to clean.");
		else if (worktrees.length === 0) return any;
		else if (!values.yes) context.print("Nothing was changed; --yes does it.");
		return any;
	}
}

type Flags = Record<"yes" | "discard" | "changes" | "conflicts", boolean>;

function parse(args: readonly string[]) {
	return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
}

function check(
	command: string | undefined,
	names: readonly string[],
	{ discard, changes, conflicts }: Flags,
): string | undefined {
	if (command === undefined) return "Which command?";
	if (!["list", "open", "diff", "save", "merge", "clean"].includes(command))
		return `Unknown command ${command}.`;
	if (command === "list" && names.length > 0) return "`list` takes no name.";
	if (["open", "diff", "save", "merge"].includes(command) && names.length !== 1) {
		return `\`${command}\` takes one name.`;
	}
	if (discard && (command !== "clean" || names.length === 0)) {
		return "`--discard` is for `clean` with names.";
	}
	if ((changes || conflicts) && command !== "merge") {
		return `\`--${changes ? "changes" : "conflicts"}\` is for \`merge\`.`;
	}
	return undefined;
}

async function merge(
	{ worktree, uncommitted = 0 }: ListedWorktree,
	options: MergeOptions,
	{ yes, conflicts: allowConflicts, changes }: Flags,
	context: CommandContext,
	further: (text: string) => string,
): Promise<boolean> {
	const { name } = worktree;
	const mode = changes ? " --changes" : "";
	const result = yes
		? await mergeWorktree(worktree, { ...options, allowConflicts })
		: await previewMerge(worktree, options);
	if ("problem" in result) {
		context.printError(result.problem);
		return true;
	}
	const { text, conflicts } = result;
	if ("merged" in result ? result.merged : result.clean) {
		context.print(text);
		if (!yes)
			context.print(`Nothing was changed; \`${further(`merge ${name}${mode} --yes`)}\` does it.`);
		return false;
	}
	context.printError(text);
	const next = further(
		uncommitted > 0
			? `save ${name}`
			: conflicts.length > 0
				? `merge ${name}${mode} --conflicts --yes`
				: `merge ${name} --changes`,
	);
	const what =
		uncommitted > 0
			? "saves it"
			: conflicts.length > 0
				? "brings the work in all the same, as uncommitted changes with conflict markers"
				: "says what it would do as uncommitted changes";
	context.printError(`\`${next}\` ${what}.`);
	return true;
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
