import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import {
	listWorktrees,
	saveWorktree,
	type WorktreeReport,
	type WorktreeWorkspace,
	worktreeProvider,
} from "../src/index.js";
import { FAULTS, faultyGit } from "./support/faulty-git.js";
import { DONE, request, type TestRepository, testRepository } from "./support/repository.js";

/** Each is a matrix of some twenty agents. */
const LONG = { timeout: 120_000 };

/** An agent whose work has contents that no other has. */
interface TestAgent {
	work(repository: TestRepository, workspace: WorktreeWorkspace, id: string): Promise<void>;
	contents(id: string): readonly string[];
}

const COMMITTED_AND_NOT: TestAgent = {
	work: async (repository, { cwd }, id) => {
		await repository.write({ "own.txt": `own ${id}\n` }, cwd);
		await repository.sh("git add own.txt && git commit -q -m Own", cwd);
		await repository.write({ "a.txt": `edited ${id}\n`, "new.txt": `new ${id}\n` }, cwd);
	},
	contents: (id) => [`own ${id}\n`, `edited ${id}\n`, `new ${id}\n`],
};

const DETACHED: TestAgent = {
	work: async (repository, { cwd }, id) => {
		await repository.write({ "left.txt": `left ${id}\n` }, cwd);
		await repository.sh(
			"git checkout -q --detach && git add left.txt && git commit -q -m Left && git checkout -q -",
			cwd,
		);
		await repository.write({ "own.txt": `own ${id}\n` }, cwd);
		await repository.sh("git checkout -q --detach && git add own.txt && git commit -q -m Own", cwd);
	},
	contents: (id) => [`left ${id}\n`, `own ${id}\n`],
};

/** A repository with uncommitted files, and a provider that knows it already. */
async function setUp() {
	const repository = await testRepository();
	const faulty = faultyGit(repository.git, repository.environment);
	const provider = worktreeProvider({ git: faulty.git, directory: repository.worktrees });
	await repository.write({ "a.txt": "dirty\n", "untracked.txt": "untracked\n" });
	const state = (): Promise<string> =>
		repository.sh(
			"cat a.txt untracked.txt .git/HEAD; git stash list; git rev-parse main; sha1sum < .git/index",
		);
	await (await provider.prepare(request(repository.path, { agentId: "first" }))).finish(DONE);
	return { repository, faulty, provider, state, untouched: await state() };
}

/** The commands of a report that save what could not be saved. */
function rescueCommands({ text }: WorktreeReport): readonly string[] {
	const lines = text.split("\n");
	const start = lines.indexOf("To save it:");
	if (start === -1) return [];
	const commands = lines.slice(start + 1);
	const end = commands.findIndex((line) => !line.startsWith("    "));
	return (end === -1 ? commands : commands.slice(0, end)).map((line) => line.trim());
}

/** Which contents are in no commit that a branch has, or the HEAD of a kept worktree now or before. */
async function lost(
	repository: TestRepository,
	contents: readonly string[],
): Promise<readonly string[]> {
	const heads = await repository.sh(
		"cat .git/worktrees/*/HEAD .git/worktrees/*/logs/HEAD 2>/dev/null || true",
	);
	const commits = heads.match(/\b[0-9a-f]{40}\b/g)?.filter((id) => !/^0+$/.test(id)) ?? [];
	const reachable = await repository.sh(
		`git rev-list --objects --branches ${[...new Set(commits)].join(" ")}`,
	);
	return contents.filter((content) => !reachable.includes(blobId(content)));
}

function blobId(content: string): string {
	return createHash("sha1").update(`blob ${content.length}\0${content}`).digest("hex");
}

describe.each(FAULTS)("when one git command %s", (fault) => {
	test(
		"a worktree that cannot be made leaves nothing behind and touches nothing",
		LONG,
		async () => {
			const { repository, faulty, provider, state, untouched } = await setUp();
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
			expect(await state()).toBe(untouched);
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
		const { repository, faulty, provider, state, untouched } = await setUp();
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
		expect(await state()).toBe(untouched);
		return commands;
	}
});

describe("when the process is killed", () => {
	test("at any moment, the next one finds the leftovers and saves their work", LONG, async () => {
		const { repository, state, untouched } = await setUp();
		const worked: string[] = [];
		for (let call = 1; ; call++) {
			const calls = await runUntil(call, `k${call}`);
			if (calls < call) break;
		}
		const query = {
			repo: repository.path,
			directory: repository.worktrees,
			git: repository.git,
			readProcess: async () => undefined,
		};
		const { worktrees } = await listWorktrees(query);
		expect(new Set(worktrees.map((listed) => listed.state))).toEqual(
			new Set(["leftover", "saved"]),
		);
		for (const { worktree } of worktrees) {
			const report = await saveWorktree(worktree, query);
			expect(report.problems, worktree.name).toEqual([]);
		}
		expect(await lost(repository, worked.flatMap(COMMITTED_AND_NOT.contents))).toEqual([]);
		expect(worked.length).toBeGreaterThanOrEqual(10);
		expect(await state()).toBe(untouched);
		expect(await repository.sh("git worktree list | wc -l")).toBe("1");
		const after = await listWorktrees(query);
		expect(after.worktrees.map((listed) => listed.state)).toEqual(worked.map(() => "saved"));

		/** Runs an agent until a call of git, from which on nothing happens any more; says how many there were. */
		function runUntil(last: number, agentId: string): Promise<number> {
			let calls = 0;
			return new Promise((resolve, reject) => {
				const dying = worktreeProvider({
					directory: repository.worktrees,
					git: (args, options) => {
						calls++;
						if (calls < last) return repository.git(args, options);
						resolve(calls);
						return new Promise(() => {});
					},
				});
				dying
					.prepare(request(repository.path, { agentId }))
					.then(async (workspace) => {
						await COMMITTED_AND_NOT.work(repository, workspace, agentId);
						worked.push(agentId);
						await workspace.finish(DONE);
						resolve(calls);
					})
					.catch(reject);
			});
		}
	});
});
