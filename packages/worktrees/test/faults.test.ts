import { describe, expect, test } from "vitest";
import { listWorktrees, type WorktreeReport, worktreeProvider } from "../src/index.js";
import { COMMITTED_AND_NOT, DETACHED, lost, type TestAgent } from "./support/agents.js";
import { FAULTS, faultyGit, isWorthTrying } from "./support/faulty-git.js";
import { DONE, fingerprint, request, testRepository } from "./support/repository.js";

/** Each is a matrix of some twenty agents. */
const LONG = { timeout: 300_000 };

/** A repository, and a provider of which one git call at a time can be broken. */
async function setUp(files: Readonly<Record<string, string>> = {}) {
	const repository = await testRepository();
	await repository.write(files);
	const faulty = faultyGit(repository.git, repository.environment);
	const provider = worktreeProvider({ git: faulty.git, directory: repository.worktrees });
	return { repository, faulty, provider, untouched: await fingerprint(repository) };
}

/** Uncommitted files. */
const DIRTY = { "a.txt": "dirty\n", "untracked.txt": "untracked\n" };

/** The commands of a report that save what could not be saved. */
function rescueCommands({ text }: WorktreeReport): readonly string[] {
	const lines = text.split("\n");
	const start = lines.indexOf("To save it:");
	if (start === -1) return [];
	const commands = lines.slice(start + 1);
	const end = commands.findIndex((line) => !line.startsWith("    "));
	return (end === -1 ? commands : commands.slice(0, end)).map((line) => line.trim());
}

describe.each(FAULTS)("when one git command %s", (fault) => {
	test(
		"a worktree that cannot be made leaves nothing behind and touches nothing",
		LONG,
		async () => {
			const { repository, faulty, provider, untouched } = await setUp(DIRTY);
			// What is found out once about a repository is known from here on.
			await (await provider.prepare(request(repository.path, { agentId: "p0" }))).finish(DONE);
			faulty.arm(0, fault);
			await provider.prepare(request(repository.path, { agentId: "good" }));
			const refused: string[] = [];
			for (const [index, command] of faulty.calls.entries()) {
				if (!isWorthTrying(command, fault)) continue;
				faulty.arm(index + 1, fault);
				const workspace = await provider
					.prepare(request(repository.path, { agentId: `p${index + 1}` }))
					.catch((error: Error) => error);
				faulty.arm(0, fault);
				if (workspace instanceof Error) {
					expect(workspace.name, command).toBe("WorktreeError");
					if (fault === "fails") expect(workspace.message).toContain("the disk is full");
					refused.push(command.split(" ")[0] ?? "");
				} else expect((await workspace.finish(DONE)).changed, command).toBe(false);
			}
			const reading = fault === "is killed at its end" ? [] : ["status", "for-each-ref"];
			expect(refused).toEqual([...reading, "add", "write-tree", "commit-tree", "worktree"]);
			expect(await fingerprint(repository)).toBe(untouched);
			const { worktrees } = await listWorktrees({
				repo: repository.path,
				directory: repository.worktrees,
				git: repository.git,
			});
			expect(worktrees.map(({ worktree }) => worktree.agentId)).toEqual(["good"]);
			expect(await repository.sh("git branch --list 'pi-subagents/*'")).toBe(
				"+ pi-subagents/general-purpose-good",
			);
		},
	);

	test(
		"all work is recoverable of an agent that has commits and uncommitted files",
		LONG,
		async () => {
			expect(await runMatrix(COMMITTED_AND_NOT)).toEqual([
				"status",
				"status",
				"for-each-ref",
				"add",
				"write-tree",
				"rev-parse",
				"commit-tree",
				"update-ref",
				"diff-tree",
				"rev-list",
				"ls-files",
				"worktree",
			]);
		},
	);

	if (fault === "fails") {
		test(
			"all work is recoverable of an agent on a detached HEAD that left a commit",
			LONG,
			async () => {
				// The other commands are those above.
				const own = /^(?:for-each-ref|merge-base|update-ref|rev-list --parents)/;
				expect(await runMatrix(DETACHED, own)).toContain("merge-base");
			},
		);
	}

	/** The git commands at the end of a run; there is one agent for each that goes wrong. */
	async function runMatrix(agent: TestAgent, which = /^/): Promise<readonly string[]> {
		const { repository, faulty, provider, untouched } = await setUp();
		const contents: string[] = [];
		const run = async (agentId: string, broken: number): Promise<readonly string[]> => {
			const workspace = await provider.prepare(request(repository.path, { agentId }));
			await agent.work(repository, workspace, agentId);
			contents.push(...agent.contents(agentId));
			faulty.arm(broken, fault);
			const report = await workspace.finish(DONE);
			const { calls } = faulty;
			faulty.arm(0, fault);
			const rescue = rescueCommands(report);
			if (rescue.length > 0) await repository.sh(`set -e; ${rescue.join("\n")}`, repository.home);
			return calls;
		};
		// The first one finds out about the repository.
		await run("f0", 0);
		const commands = await run("good", 0);
		for (const [index, command] of commands.entries()) {
			if (!which.test(command) || !isWorthTrying(command, fault)) continue;
			await run(`f${index + 1}`, index + 1);
		}
		expect(await lost(repository, contents)).toEqual([]);
		expect(await fingerprint(repository)).toBe(untouched);
		return commands.map((command) => command.split(" ")[0] ?? "");
	}
});
