import { readdir, readFile, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { worktreeProvider } from "../src/index.js";
import { DONE, request, type TestRepository, testRepository } from "./support/repository.js";

/** `PI_SUBAGENTS_LOAD=1` measures on the size that is promised; without it nothing depends on how busy the machine is. */
const MEASURED = process.env.PI_SUBAGENTS_LOAD === "1";
const FILES = MEASURED ? 10_000 : 300;
const AGENTS = 16;
/** Milliseconds that the terminal may stand still. */
const BOUND = 50;
const RESOLUTION = 5;

test(`${AGENTS} worktrees at once of ${FILES} files are made and ended`, {
	timeout: 300_000,
}, async () => {
	const repository = await testRepository({ parent: await roomyDirectory() });
	await addFiles(repository);
	await repository.write({ "dir0/file0.txt": "dirty\n", "untracked.txt": "untracked\n" });
	const provider = worktreeProvider({ git: repository.git, directory: repository.worktrees });
	const control = MEASURED ? await startControl() : undefined;

	const histogram = monitorEventLoopDelay({ resolution: RESOLUTION });
	histogram.enable();
	const reports = await Promise.all(
		Array.from({ length: AGENTS }, async (_, index) => {
			const agentId = `agent${index}`;
			const workspace = await provider.prepare(request(repository.path, { agentId }));
			// Half of the agents change something.
			if (index % 2 === 0) await repository.write({ "own.txt": `${index}\n` }, workspace.cwd);
			return workspace.finish(DONE);
		}),
	);
	histogram.disable();
	const stood = histogram.max / 1e6 - RESOLUTION;
	const noise = await control?.();

	expect(reports.flatMap(({ problems }) => problems)).toEqual([]);
	expect(reports.map(({ changed }) => changed)).toEqual(reports.map((_, index) => index % 2 === 0));
	expect(await repository.sh("git worktree list | wc -l; git branch | wc -l")).toBe("1\n9");
	expect(await repository.sh("find . -mindepth 2 -type d", repository.worktrees)).toBe("");
	if (noise !== undefined) expect(stood).toBeLessThan(BOUND + noise);
});

test("nothing in the package waits for git or for files synchronously", async () => {
	const source = join(import.meta.dirname, "..", "src");
	for (const file of await readdir(source)) {
		expect(await readFile(join(source, file), "utf8"), file).not.toMatch(/Sync\(/);
	}
});

/** Files of one content, so that git has few objects to write. */
async function addFiles({ sh }: TestRepository): Promise<void> {
	await sh(
		`blob=$(echo content | git hash-object -w --stdin) && seq 0 ${FILES - 1} |
		awk -v blob=$blob '{ print "100644 " blob "\tdir" ($1 % 100) "/file" $1 ".txt" }' |
		git update-index --index-info && git commit -q -m Files && git reset -q --hard`,
	);
}

/** Memory, if there is enough of it: what the disk does is not what is measured. */
async function roomyDirectory(): Promise<string> {
	const memory = "/dev/shm";
	const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }));
	return bavail * bsize > 4 * 1024 ** 3 ? memory : tmpdir();
}

/**
 * A thread that starts one process after the other and measures its own delay: what one start costs on this machine at
 * this time. The result is its longest, in milliseconds.
 */
async function startControl(): Promise<() => Promise<number>> {
	const worker = new Worker(
		`const { parentPort } = require("node:worker_threads");
		const { spawn } = require("node:child_process");
		const histogram = require("node:perf_hooks").monitorEventLoopDelay({ resolution: ${RESOLUTION} });
		const start = () => spawn("git", ["version"], { stdio: "ignore" }).once("close", () => setTimeout(start, 50));
		start();
		histogram.enable();
		parentPort.once("message", () => {
			parentPort.postMessage(histogram.max / 1e6 - ${RESOLUTION});
			process.exit();
		});
		parentPort.postMessage("ready");`,
		{ eval: true },
	);
	onTestFinished(() => worker.terminate().then(() => {}));
	const message = (): Promise<unknown> => new Promise((resolve) => worker.once("message", resolve));
	await message();
	return async () => {
		worker.postMessage("stop");
		return Number(await message());
	};
}
