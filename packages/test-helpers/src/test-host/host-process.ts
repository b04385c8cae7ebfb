import { type ChildProcess, spawn } from "node:child_process";
import type { HostDirectories } from "./host-directories.js";

/** How to start a host. */
export interface HostCommand {
	/** The file that Node runs: the command line program of pi. */
	readonly cli: string;
	/**
	 * The Node to run it with.
	 * @defaultValue the one that runs this
	 */
	readonly node?: string;
	/** Extensions to load: files or package directories. */
	readonly extensions?: readonly string[];
	/** What to install before the first start with `pi install`, for example the directory of a package. */
	readonly packages?: readonly string[];
	/**
	 * The directory to run in, for example a checkout.
	 * @defaultValue the project of the host's own
	 */
	readonly cwd?: string;
	/** Further arguments, before the prompt. */
	readonly args?: readonly string[];
	/** Further variables; nothing else is taken over but what a program needs to run at all. */
	readonly env?: Readonly<Record<string, string>>;
}

/** How a process ended, and everything that it printed. */
export interface HostExit {
	/** The exit code, unless a signal ended it. */
	readonly code: number | null;
	readonly signal: NodeJS.Signals | null;
	readonly stdout: string;
	readonly stderr: string;
}

/** A process that was started. */
export interface HostProcess {
	readonly exited: Promise<HostExit>;
	/** Sends a line to its input. */
	write(line: string): void;
	/** Ends its input. */
	end(): void;
	/** Sends a signal to it, and with `SIGKILL` to everything that it started, too. */
	kill(signal: NodeJS.Signals): void;
}

/** Ends a process and all that it started; it does not matter how it goes. */
export async function endHostProcess(host: HostProcess): Promise<void> {
	host.kill("SIGKILL");
	await host.exited.catch(() => undefined);
}

/** What a program needs to run, and the place of the hosts' compile cache, without which every start is slow. */
const INHERITED = ["PATH", "TMPDIR", "TEMP", "TMP", "SystemRoot", "LANG"];
/** What a program needs to know of its terminal. */
const TERMINAL = ["TERM", "COLORTERM", "COLORFGBG", "TERM_PROGRAM", "LC_ALL", "LC_CTYPE", "TMUX"];

/**
 * Installs the packages of the command one after the other, as a user would, in the host's directories. Rejects with what
 * the host said if it cannot install one.
 */
export async function installPackages(
	command: HostCommand,
	directories: HostDirectories,
): Promise<void> {
	for (const source of command.packages ?? []) {
		const args = [command.cli, "install", source];
		const install = startProcess(command, directories, args, "none", () => undefined);
		const { code, stdout, stderr } = await install.exited;
		if (code !== 0) throw new Error(`The host cannot install ${source}:\n${stdout}${stderr}`);
	}
}

/** Starts a host in its directories. `onLine` is called with every line that it prints, as soon as it is whole. */
export function startHostProcess(
	command: HostCommand,
	directories: HostDirectories,
	args: readonly string[],
	input: "none" | "open",
	onLine: (line: string) => void = () => undefined,
): HostProcess {
	return startProcess(command, directories, hostArguments(command, args), input, onLine);
}

/**
 * Starts a host that has the terminal of this process. It is not in a process group of its own, which could not read from
 * the terminal.
 */
export function startInTerminal(
	command: HostCommand,
	directories: HostDirectories,
	args: readonly string[],
): ChildProcess {
	return spawn(command.node ?? process.execPath, hostArguments(command, args), {
		cwd: command.cwd ?? directories.project,
		env: { ...inherit(TERMINAL), ...environment(command, directories) },
		stdio: "inherit",
	});
}

function hostArguments(command: HostCommand, args: readonly string[]): string[] {
	const extensions = (command.extensions ?? []).flatMap((extension) => ["-e", extension]);
	return [command.cli, ...extensions, ...(command.args ?? []), ...args];
}

function startProcess(
	command: HostCommand,
	directories: HostDirectories,
	args: readonly string[],
	input: "none" | "open",
	onLine: (line: string) => void,
): HostProcess {
	const child = spawn(command.node ?? process.execPath, args, {
		cwd: command.cwd ?? directories.project,
		env: environment(command, directories),
		stdio: [input === "open" ? "pipe" : "ignore", "pipe", "pipe"],
		// In a process group of its own, which can be ended as a whole.
		detached: process.platform !== "win32",
	});
	// Writing to a process that has gone is not an error here: whoever waits for an answer learns of the exit.
	child.stdin?.on("error", () => undefined);
	return {
		exited: collect(child, onLine),
		write: (line) => void child.stdin?.write(`${line}\n`),
		end: () => void child.stdin?.end(),
		kill: (signal) => kill(child, signal),
	};
}

function environment(command: HostCommand, directories: HostDirectories): Record<string, string> {
	return {
		...inherit(INHERITED),
		HOME: directories.home,
		USERPROFILE: directories.home,
		PI_CODING_AGENT_DIR: directories.agentDir,
		PI_OFFLINE: "1",
		PI_SKIP_VERSION_CHECK: "1",
		PI_TELEMETRY: "0",
		...command.env,
	};
}

function inherit(names: readonly string[]): Record<string, string> {
	const inherited = names.flatMap((name) => {
		const value = process.env[name];
		return value === undefined ? [] : [[name, value]];
	});
	return Object.fromEntries(inherited);
}

function collect(child: ChildProcess, onLine: (line: string) => void): Promise<HostExit> {
	const stdout: string[] = [];
	let stderr = "";
	let unfinished = "";
	child.stdout?.setEncoding("utf8").on("data", (text: string) => {
		stdout.push(text);
		// Only line feeds end a line; others may be in the middle of a JSON text.
		const lines = (unfinished + text).split("\n");
		unfinished = lines.pop() ?? "";
		for (const line of lines) onLine(line);
	});
	child.stderr?.setEncoding("utf8").on("data", (text: string) => {
		stderr += text;
	});
	return new Promise((resolve, reject) => {
		child.once("error", reject);
		child.once("close", (code, signal) =>
			resolve({ code, signal, stdout: stdout.join(""), stderr }),
		);
	});
}

function kill(child: ChildProcess, signal: NodeJS.Signals): void {
	const { pid } = child;
	if (signal !== "SIGKILL" || pid === undefined || process.platform === "win32") {
		child.kill(signal);
		return;
	}
	try {
		process.kill(-pid, signal);
	} catch {
		// Nothing of the group is left.
	}
}
