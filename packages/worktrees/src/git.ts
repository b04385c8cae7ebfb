import { type ChildProcess, spawn } from "node:child_process";
import { devNull } from "node:os";
import { createTurnstile } from "./turnstile.js";

/** How one git command is run. */
export interface GitCall {
	/** The absolute directory that it runs in. */
	readonly cwd: string;
	/** Added to the environment. */
	readonly env?: Readonly<Record<string, string>>;
	/** Written to its standard input, which is empty otherwise. */
	readonly input?: string;
	/** Ends the command. */
	readonly signal?: AbortSignal | undefined;
	/** It may take long, because it reads or writes all files of a checkout. */
	readonly slow?: boolean;
}

/** How one git command ended. */
export interface GitResult {
	/** Whether git ended by itself with exit code 0. */
	readonly ok: boolean;
	/** `undefined` if git did not end by itself; then `failure` says why. */
	readonly code?: number;
	readonly stdout: string;
	readonly stderr: string;
	/** A clause without a full stop, such as `it was stopped`. */
	readonly failure?: string;
}

/**
 * Runs `git` with these arguments and never rejects. The functions of this package take one, so that a program can
 * watch, bound or replace every command; wrap what {@link createGit} returns.
 */
export type Git = (args: readonly string[], call: GitCall) => Promise<GitResult>;

/** Options of {@link createGit}. */
export interface CreateGitOptions {
	/**
	 * The program.
	 * @defaultValue `git`, found on the `PATH`
	 */
	readonly command?: string;
	/**
	 * Seconds after which a command is ended. Making a worktree and reading all files of one may take ten times as long.
	 * @defaultValue 30
	 */
	readonly timeoutSeconds?: number;
	/**
	 * How many commands run at the same time; others wait.
	 * @defaultValue 4
	 */
	readonly concurrency?: number;
	/** @defaultValue the environment of this process */
	readonly environment?: NodeJS.ProcessEnv;
}

/** Variables with which git points its own children at one repository; ours must find the repository themselves. */
const REPOSITORY_VARIABLES: readonly string[] = [
	"GIT_DIR",
	"GIT_WORK_TREE",
	"GIT_INDEX_FILE",
	"GIT_COMMON_DIR",
	"GIT_OBJECT_DIRECTORY",
	"GIT_ALTERNATE_OBJECT_DIRECTORIES",
	"GIT_NAMESPACE",
	"GIT_PREFIX",
];

/** What the user's configuration must not add to our commands: programs, background work, and refusals. */
const SETTINGS: readonly string[] = [
	`core.hooksPath=${process.platform === "win32" ? "/dev/null" : devNull}`,
	"core.fsmonitor=false",
	"core.splitIndex=false",
	"core.safecrlf=false",
	"core.quotePath=false",
	"core.filesRefLockTimeout=1000",
	"core.packedRefsTimeout=1000",
	"commit.gpgSign=false",
	"merge.verifySignatures=false",
	"submodule.recurse=false",
	"gc.auto=0",
	"maintenance.auto=false",
];

/** More than any list that these functions ask for; a diff that is longer is cut. */
const OUTPUT_LIMIT = 64 * 1024 * 1024;

/** Time for git to remove its lock files when it is ended, in milliseconds. */
const KILL_GRACE = 2000;

/**
 * The git of this machine, run quietly: without hooks, signing, editor, prompts, and questions of locks that it can
 * do without; never through a shell.
 */
export function createGit(options: CreateGitOptions = {}): Git {
	const command = options.command ?? "git";
	const usualSeconds = options.timeoutSeconds ?? 30;
	const settings = SETTINGS.flatMap((setting) => ["-c", setting]);
	const turnstile = createTurnstile(options.concurrency ?? 4);
	return (args, call) =>
		new Promise((resolve) => {
			const stop = (): void => {
				takeOut();
				resolve({ ok: false, stdout: "", stderr: "", failure: "it was stopped" });
			};
			const takeOut = turnstile.enter((leave) => {
				call.signal?.removeEventListener("abort", stop);
				const child = spawn(command, [...settings, ...args], {
					cwd: call.cwd,
					env: { ...environment(options.environment ?? process.env), ...call.env },
					stdio: [call.input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
					// In its own process group, so that Ctrl-C in the terminal does not break it off in the middle.
					detached: process.platform !== "win32",
					windowsHide: true,
				});
				const seconds = call.slow ? usualSeconds * 10 : usualSeconds;
				collect(child, call, seconds * 1000, (result) => {
					leave();
					resolve(result);
				});
			});
			if (call.signal?.aborted) stop();
			else call.signal?.addEventListener("abort", stop, { once: true });
		});
}

function collect(
	child: ChildProcess,
	call: GitCall,
	timeout: number,
	resolve: (result: GitResult) => void,
): void {
	let failure: string | undefined;
	let killTimer: NodeJS.Timeout | undefined;
	const end = (reason: string): void => {
		if (failure !== undefined) return;
		failure = reason;
		kill(child, "SIGTERM");
		killTimer = setTimeout(() => {
			kill(child, "SIGKILL");
			// A grandchild that left the group may hold the pipes open for ever.
			child.stdout?.destroy();
			child.stderr?.destroy();
		}, KILL_GRACE);
	};
	const onAbort = (): void => end("it was stopped");
	const timer = setTimeout(
		() => end(`it did not end within ${timeout / 1000} seconds and was ended`),
		timeout,
	);
	call.signal?.addEventListener("abort", onAbort, { once: true });

	const stdout = gather(child.stdout, () => end("its output was too long"));
	const stderr = gather(child.stderr, () => end("its output was too long"));
	child.stdin?.on("error", () => {});
	child.stdin?.end(call.input);

	const finish = (code: number | null, reason: string | undefined): void => {
		clearTimeout(timer);
		clearTimeout(killTimer);
		call.signal?.removeEventListener("abort", onAbort);
		resolve({
			ok: code === 0 && reason === undefined,
			stdout: stdout(),
			stderr: stderr(),
			...(code !== null && reason === undefined && { code }),
			...(reason !== undefined && { failure: reason }),
		});
	};
	child.once("error", (error) => finish(null, describeSpawnError(error, call.cwd)));
	child.once("close", (code, signal) =>
		finish(code, failure ?? (signal === null ? undefined : `it was killed by ${signal}`)),
	);
}

function gather(stream: ChildProcess["stdout"], onTooMuch: () => void): () => string {
	const chunks: Buffer[] = [];
	let length = 0;
	stream?.on("data", (chunk: Buffer) => {
		length += chunk.length;
		if (length > OUTPUT_LIMIT) onTooMuch();
		else chunks.push(chunk);
	});
	return () => Buffer.concat(chunks).toString("utf8");
}

function kill(child: ChildProcess, signal: NodeJS.Signals): void {
	try {
		if (child.pid !== undefined && process.platform !== "win32") process.kill(-child.pid, signal);
		else child.kill(signal);
	} catch {
		// It has ended already.
	}
}

function describeSpawnError(error: Error, cwd: string): string {
	const code = "code" in error ? error.code : undefined;
	// Node reports a missing working directory in the same words.
	if (code === "ENOENT") return `the program or the directory ${cwd} was not found`;
	return error.message;
}

function environment(inherited: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
	const copy = { ...inherited };
	for (const name of REPOSITORY_VARIABLES) delete copy[name];
	return {
		...copy,
		// Messages are read by `explain`.
		LC_ALL: "C",
		GIT_OPTIONAL_LOCKS: "0",
		GIT_TERMINAL_PROMPT: "0",
		GIT_EDITOR: ":",
		GIT_SEQUENCE_EDITOR: ":",
		GIT_PAGER: "cat",
	};
}
