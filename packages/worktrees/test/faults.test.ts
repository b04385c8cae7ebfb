import { describe, expect, test } from "vitest";
import { listWorktrees, type WorktreeReport, worktreeProvider } from "../src/index.js";
import { COMMITTED_AND_NOT, DETACHED, lost, type TestAgent } from "./support/agents.js";
import { FAULTS, faultyGit } from "./support/faulty-git.js";
import { DONE, fingerprint, request, testRepository } from "./support/repository.js";

/** Each is a matrix of some twenty agents. */
const LONG = { timeout: 300_000 };

/** A repository, and a provider that knows it already. */
async function setUp(files: Readonly<Record<string, string>> = {}) {
	const repository = await testRepository();
	const faulty = faultyGit(repository.git, repository.environment);
	const provider = worktreeProvider({ git: faulty.git, directory: repository.worktrees });
	await repository.write(files);
	const first = await provider.prepare(request(repository.path, { agentId: "first" }));
	await repository.write({ "own.txt": "own\n" }, first.cwd);
	await first.finish(DONE);
	await repository.sh(`git branch -q -D ${first.worktree.branch}`);
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
			const refused: string[] = [];
			for (let call = 1; ; call++) {
				faulty.arm(call, fault);
				const workspace = await provider
					.prepare(request(repository.path, { agentId: `p${call}` }))
					.catch((error: Error) => error);
				const { calls } = faulty;
				faulty.arm(0, fault);
				if (workspace instanceof Error) {
					expect(workspace.name, calls[call - 1]).toBe("WorktreeError");
					refused.push(calls[call - 1]?.split(" ")[0] ?? "");
				} else if (calls.length >= call) {
					expect((await workspace.finish(DONE)).changed, calls[call - 1]).toBe(false);
				} else break;
			}
			expect(refused).toEqual([
				"status",
				"for-each-ref",
				"add",
				"write-tree",
				"commit-tree",
				"worktree",
			]);
			expect(await fingerprint(repository)).toBe(untouched);
			const { worktrees } = await listWorktrees({
				repo: repository.path,
				directory: repository.worktrees,
				git: repository.git,
			});
			expect(worktrees.map(({ worktree }) => worktree.agentId)).toEqual(["p8"]);
			expect(await repository.sh("git branch --list 'pi-subagents/*'")).toBe(
				"+ pi-subagents/general-purpose-p8",
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
				"rev-list",
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
				expect(await runMatrix(DETACHED)).toContain("merge-base");
			},
		);
	}

	/** The git commands at the end of a run; one agent for each that goes wrong. */
	async function runMatrix(agent: TestAgent): Promise<readonly string[]> {
		const { repository, faulty, provider, untouched } = await setUp();
		const commands: string[] = [];
		const contents: string[] = [];
		for (let call = 1; ; call++) {
			const agentId = `f${call}`;
			const workspace = await provider.prepare(request(repository.path, { agentId }));
			await agent.work(repository, workspace, agentId);
			contents.push(...agent.contents(agentId));
			faulty.arm(call, fault);
			const report = await workspace.finish(DONE);
			const { calls } = faulty;
			faulty.arm(0, fault);
			const rescue = rescueCommands(report);
			if (rescue.length > 0) await repository.sh(`set -e; ${rescue.join("\n")}`, repository.home);
			const broken = calls[call - 1];
			if (broken === undefined) break;
			commands.push(broken.split(" ")[0] ?? "");
		}
		expect(await lost(repository, contents)).toEqual([]);
		expect(await fingerprint(repository)).toBe(untouched);
		return commands;
	}
});
