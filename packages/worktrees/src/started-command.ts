import { type ChildProcess, spawn } from "node:child_process";

/** A program to run. */
export interface Command {
	readonly command: string;
	readonly args: readonly string[];
	readonly cwd: string;
	readonly env: NodeJS.ProcessEnv;
	readonly input: string | undefined;
}

/** What is heard of a running command. */
export interface CommandListener {
	onOutput(stream: "stdout" | "stderr", chunk: Buffer): void;
	/** Called once, and last. */
	onEnd(end: CommandEnd): void;
}

/** How a command ended: its exit code, the signal that killed it, or why it did not run. */
export interface CommandEnd {
	readonly code: number | null;
	readonly signal: string | null;
	readonly error?: { readonly code?: string | undefined; readonly message: string };
}

/** Ends a command and what it has started. After `SIGKILL` nobody waits for its output any more. */
export type EndCommand = (signal: "SIGTERM" | "SIGKILL") => void;

/** Starts a command. */
export type StartCommand = (command: Command, listener: CommandListener) => EndCommand;

/** Starts a command from this process, which stands still for as long as that takes. */
export const startDirectly: StartCommand = (
	{ command, args, cwd, env, input },
	{ onOutput, onEnd },
) => {
	let child: ChildProcess;
	try {
		child = spawn(command, args, {
			cwd,
			env,
			stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
			// In its own process group, so that Ctrl-C in the terminal does not break it off in the middle.
			detached: process.platform !== "win32",
			windowsHide: true,
		});
	} catch (error) {
		// For example because the arguments are too long.
		onEnd({ code: null, signal: null, error: { message: String(error) } });
		return () => {};
	}
	child.stdout?.on("data", (chunk: Buffer) => onOutput("stdout", chunk));
	child.stderr?.on("data", (chunk: Buffer) => onOutput("stderr", chunk));
	child.stdin?.on("error", () => {});
	child.stdin?.end(input);
	child.once("error", (error) => {
		const code = "code" in error ? String(error.code) : undefined;
		onEnd({ code: null, signal: null, error: { code, message: error.message } });
	});
	child.once("close", (code, signal) => onEnd({ code, signal }));
	return (signal) => {
		if (child.pid !== undefined) killGroup(child.pid, signal);
		if (signal !== "SIGKILL") return;
		// A grandchild that left the group may hold the pipes open for ever.
		child.stdout?.destroy();
		child.stderr?.destroy();
	};
};

/** Time for git to remove its lock files when it is ended, in milliseconds. */
export const KILL_GRACE = 2000;

/** Sends a signal to a process that has a group of its own, and to that group; `false` if it has ended already. */
export function killGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
	try {
		return process.kill(process.platform === "win32" ? pid : -pid, signal);
	} catch {
		return false;
	}
}
