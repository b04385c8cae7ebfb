import { expect, test } from "vitest";
import { listWorktrees, saveWorktree, worktreeProvider } from "../src/index.js";
import { COMMITTED_AND_NOT, lost } from "./support/agents.js";
import {
	DONE,
	fingerprint,
	request,
	type TestRepository,
	testRepository,
} from "./support/repository.js";

test("whenever the process is killed, the next one finds what is left and saves the work", {
	timeout: 300_000,
}, async () => {
	const repository = await testRepository();
	await repository.write({ "a.txt": "dirty\n", "untracked.txt": "untracked\n" });
	const untouched = await fingerprint(repository);
	const worked: string[] = [];
	for (let last = 1; ; last++) {
		const { calls, hasWorked } = await runUntil(repository, last);
		if (hasWorked) worked.push(`k${last}`);
		if (calls < last) break;
	}
	const query = {
		repo: repository.path,
		directory: repository.worktrees,
		git: repository.git,
		readProcess: async () => undefined,
	};
	const { worktrees } = await listWorktrees(query);
	expect(new Set(worktrees.map(({ state }) => state))).toEqual(new Set(["leftover", "saved"]));
	for (const { worktree } of worktrees) {
		const report = await saveWorktree(worktree, query);
		expect(report.problems, worktree.name).toEqual([]);
	}
	expect(worked.length).toBeGreaterThanOrEqual(10);
	expect(await lost(repository, worked.flatMap(COMMITTED_AND_NOT.contents))).toEqual([]);
	expect(await fingerprint(repository)).toBe(untouched);
	expect(await repository.sh("git worktree list | wc -l")).toBe("1");
	const after = await listWorktrees(query);
	expect(after.worktrees.map(({ state }) => state)).toEqual(worked.map(() => "saved"));
});

/** Runs an agent until a call of git, from which on nothing happens any more; or to its end, if there are fewer. */
function runUntil(
	repository: TestRepository,
	last: number,
): Promise<{ readonly calls: number; readonly hasWorked: boolean }> {
	let calls = 0;
	let hasWorked = false;
	return new Promise((resolve, reject) => {
		const provider = worktreeProvider({
			directory: repository.worktrees,
			git: (args, options) => {
				calls++;
				if (calls < last) return repository.git(args, options);
				resolve({ calls, hasWorked });
				return new Promise(() => {});
			},
		});
		provider
			.prepare(request(repository.path, { agentId: `k${last}` }))
			.then(async (workspace) => {
				await COMMITTED_AND_NOT.work(repository, workspace, `k${last}`);
				hasWorked = true;
				await workspace.finish(DONE);
				resolve({ calls, hasWorked });
			})
			.catch(reject);
	});
}
