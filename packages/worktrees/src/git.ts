import { devNull } from "node:os";
import { createHelper } from "./helper-process.js";
import {
	type Command,
	type CommandEnd,
	KILL_GRACE,
	type StartCommand,
	startDirectly,
} from "./started-command.js";
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
	/**
	 * Whether commands are started by a small process of their own, which ends ten seconds after the last one, or with
	 * this process. Starting them from a large process makes that stand still, some 10 to 30 ms each.
	 * @defaultValue `false`
	 */
	readonly helperProcess?: boolean;
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

/**
 * The git of this machine, run quietly: without hooks, signing, editor, prompts, and questions of locks that it can
 * do without; never through a shell.
 */
export function createGit(options: CreateGitOptions = {}): Git {
	const command = options.command ?? "git";
	const usualSeconds = options.timeoutSeconds ?? 30;
	const settings = SETTINGS.flatMap((setting) => ["-c", setting]);
	const turnstile = createTurnstile(options.concurrency ?? 4);
	const start = options.helperProcess ? createHelper() : startDirectly;
	return (args, call) =>
		new Promise((resolve) => {
			const stop = (): void => {
				takeOut();
				resolve({ ok: false, stdout: "", stderr: "", failure: "it was stopped" });
			};
			const takeOut = turnstile.enter((leave) => {
				call.signal?.removeEventListener("abort", stop);
				const { cwd, input } = call;
				const env = { ...environment(options.environment ?? process.env), ...call.env };
				const seconds = call.slow ? usualSeconds * 10 : usualSeconds;
				run(
					start,
					{ command, args: [...settings, ...args], cwd, env, input },
					{ signal: call.signal, milliseconds: seconds * 1000 },
					(result) => {
						leave();
						resolve(result);
					},
				);
			});
			if (call.signal?.aborted) stop();
			else call.signal?.addEventListener("abort", stop, { once: true });
		});
}

function run(
	start: StartCommand,
	command: Command,
	bounds: { readonly signal: AbortSignal | undefined; readonly milliseconds: number },
	resolve: (result: GitResult) => void,
): void {
	const { signal, milliseconds } = bounds;
	let failure: string | undefined;
	let killTimer: NodeJS.Timeout | undefined;
	const end = (reason: string): void => {
		if (failure !== undefined) return;
		failure = reason;
		kill("SIGTERM");
		killTimer = setTimeout(() => kill("SIGKILL"), KILL_GRACE);
	};
	const onAbort = (): void => end("it was stopped");
	const timer = setTimeout(
		() => end(`it did not end within ${milliseconds / 1000} seconds and was ended`),
		milliseconds,
	);
	signal?.addEventListener("abort", onAbort, { once: true });

	const output = { stdout: gather(), stderr: gather() };
	const kill = start(command, {
		onOutput(stream, chunk) {
			if (!output[stream].add(chunk)) end("its output was too long");
		},
		onEnd(ended) {
			clearTimeout(timer);
			clearTimeout(killTimer);
			signal?.removeEventListener("abort", onAbort);
			const reason = failure ?? describeEnd(ended, command.cwd);
			resolve({
				ok: ended.code === 0 && reason === undefined,
				stdout: output.stdout.text(),
				stderr: output.stderr.text(),
				...(ended.code !== null && reason === undefined && { code: ended.code }),
				...(reason !== undefined && { failure: reason }),
			});
		},
	});
}

/** Takes chunks up to a limit; `add` is `false` from then on. */
function gather(): { add(chunk: Buffer): boolean; text(): string } {
	const chunks: Buffer[] = [];
	let length = 0;
	return {
		add(chunk) {
			length += chunk.length;
			if (length > OUTPUT_LIMIT) return false;
			chunks.push(chunk);
			return true;
		},
		text: () => Buffer.concat(chunks).toString("utf8"),
	};
}

function describeEnd({ error, signal }: CommandEnd, cwd: string): string | undefined {
	// Node reports a missing working directory in the same words.
	if (error?.code === "ENOENT") return `the program or the directory ${cwd} was not found`;
	if (error) return error.message;
	return signal === null ? undefined : `it was killed by ${signal}`;
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
