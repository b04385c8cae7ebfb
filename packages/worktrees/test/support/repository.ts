import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import {
	appendFile,
	cp,
	mkdir,
	mkdtemp,
	readdir,
	readFile,
	realpath,
	rm,
	writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { WorkspaceRequest } from "@pi-subagents/core";
import { onTestFinished } from "vitest";
import { createHelper } from "../../src/helper-process.js";
import { createGit, type Git } from "../../src/index.js";

/** Start commands from small processes, because most of the time of these tests is that of starting them. */
const SMALL = {
	git: createGit({ environment: { PATH: process.env.PATH }, helperProcess: true }),
	start: createHelper(),
};

/** The environment of tests: no configuration of this machine, no identity. */
function testEnvironment(home: string): Readonly<Record<string, string>> {
	const PATH = process.env.PATH ?? "";
	return { PATH, HOME: home, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: join(home, "gitconfig") };
}

/** A repository with a first commit, a place for worktrees, and a shell; gone when the test has finished. */
export interface TestRepository {
	readonly home: string;
	/** The checkout. */
	readonly path: string;
	/** Where worktrees are to live. */
	readonly worktrees: string;
	readonly environment: Readonly<Record<string, string>>;
	readonly git: Git;
	/** Runs a shell command in the checkout, or in another directory; rejects if it fails. */
	sh(command: string, cwd?: string): Promise<string>;
	/** Writes files below the checkout, or below another directory. */
	write(files: Readonly<Record<string, string>>, below?: string): Promise<void>;
}

/** A directory of its own for a test. */
export async function temporaryDirectory(parent: string = tmpdir()): Promise<string> {
	const directory = await realpath(await mkdtemp(join(parent, "worktrees-")));
	// Again, should something that was killed still be writing.
	onTestFinished(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));
	return directory;
}

/** Makes one; `name` is the name of the checkout. */
export async function testRepository(
	options: { readonly name?: string; readonly identity?: boolean; readonly parent?: string } = {},
): Promise<TestRepository> {
	const home = await temporaryDirectory(options.parent);
	const path = join(home, options.name ?? "project");
	const environment = testEnvironment(home);
	const repository: TestRepository = {
		home,
		path,
		worktrees: join(home, "worktrees"),
		environment,
		git: (args, call) => SMALL.git(args, { ...call, env: { ...environment, ...call.env } }),
		sh: (command, cwd = path) => shell(command, cwd, environment),
		write: async (files, below = path) => {
			for (const [name, text] of Object.entries(files)) {
				await mkdir(dirname(join(below, name)), { recursive: true });
				await writeFile(join(below, name), text);
			}
		},
	};
	await cp(await template(), path, { recursive: true });
	if (options.identity !== false) {
		await appendFile(
			join(path, ".git/config"),
			"[user]\n\tname = User\n\temail = user@example.com\n",
		);
	}
	return repository;
}

let made: Promise<string> | undefined;

/** The repository that all begin with; made once per process, because processes are what costs time here. */
function template(): Promise<string> {
	made ??= (async () => {
		const home = await mkdtemp(join(tmpdir(), "worktrees-template-"));
		process.once("exit", () => rmSync(home, { recursive: true, force: true }));
		const path = join(home, "project");
		await mkdir(join(path, "src"), { recursive: true });
		await writeFile(join(path, "a.txt"), "one\n");
		await writeFile(join(path, "src/b.txt"), "two\n");
		await writeFile(join(path, ".gitignore"), "ignored/\n*.log\n.env\nnode_modules/\n");
		const identity = "-c user.name=User -c user.email=user@example.com";
		await shell(
			`git init -q -b main --template= && mkdir .git/hooks && git add -A && git ${identity} commit -q -m First`,
			path,
			testEnvironment(home),
		);
		return path;
	})();
	return made;
}

/** Runs a shell command and returns its output without the last line end. */
export function shell(
	command: string,
	cwd: string,
	environment: NodeJS.ProcessEnv,
): Promise<string> {
	const output = { stdout: "", stderr: "" };
	return new Promise((resolve, reject) => {
		SMALL.start(
			{ command: "sh", args: ["-c", command], cwd, env: environment, input: undefined },
			{
				onOutput(stream, chunk) {
					output[stream] += chunk;
				},
				onEnd({ code, error }) {
					if (code === 0) resolve(output.stdout.replace(/\n$/, ""));
					else reject(new Error(`${command}: ${output.stderr || error?.message}`));
				},
			},
		);
	});
}

/** What a provider is asked for. */
export function request(cwd: string, changes: Partial<WorkspaceRequest> = {}): WorkspaceRequest {
	return {
		agentId: "a1",
		type: "general-purpose",
		description: "Change some files",
		cwd,
		signal: new AbortController().signal,
		...changes,
	};
}

/** How a run ended well. */
export const DONE = {
	outcome: { status: "completed", reason: "finished" },
	description: "Change some files",
} as const;

/** What must not change in a user's checkout: branches, stash, HEAD, index and files. */
export async function fingerprint({ path, sh }: TestRepository): Promise<string> {
	const said = await sh("git for-each-ref; git --no-optional-locks status --porcelain --ignored");
	const parts = said.split("\n").filter((line) => !line.includes("refs/heads/pi-subagents"));
	const entries = await readdir(path, { recursive: true, withFileTypes: true });
	const files = entries
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name))
		.filter((file) => !file.startsWith(join(path, ".git/")))
		.sort();
	for (const file of [join(path, ".git/HEAD"), join(path, ".git/index"), ...files]) {
		const hash = createHash("sha1")
			.update(await readFile(file))
			.digest("hex");
		parts.push(`${file} ${hash}`);
	}
	return parts.join("\n");
}

/** A git whose rights are those of a plain user, whoever runs the tests; the files of the test are that user's. */
export async function asPlainUser(repository: TestRepository): Promise<Git> {
	if (process.getuid?.() !== 0) return repository.git;
	const command = join(repository.home, "as-plain-user");
	await repository.write(
		{
			[command.slice(repository.home.length)]:
				`#!/bin/sh\nchown -R 65534 ${repository.home}\nexec setpriv --reuid=65534 --clear-groups git "$@"\n`,
		},
		repository.home,
	);
	await repository.sh(
		"chmod +x as-plain-user && git config --global safe.directory '*'",
		repository.home,
	);
	return createGit({ command, environment: repository.environment });
}

/** A text without what differs from run to run. */
export function withoutIds(text: string, { home }: TestRepository): string {
	return text.replaceAll(home, "HOME").replace(/\b[0-9a-f]{10,40}\b/g, "ID");
}
