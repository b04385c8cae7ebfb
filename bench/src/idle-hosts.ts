import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Host } from "@pi-subagents/e2e";
import { createTestHost, type ModelServer } from "@pi-subagents/test-helpers";
import { probeFile } from "./paths.js";

/** A host that was given one prompt and can be watched from outside. */
export interface IdleHost {
	readonly pid: number;
	/** How many bytes it has printed so far. */
	readonly printed: number;
	dispose(): Promise<void>;
}

/** Where the probe writes the process id, in the directory of the host. */
const PID_FILE = "bench.pid";

/** A host in RPC mode, when its first run is over; what it prints are its events. */
export async function startRpcHost(
	{ cli, node }: Host,
	server: ModelServer,
	extensions: readonly string[],
	prompt: string,
): Promise<IdleHost> {
	const host = await createTestHost({
		mode: "rpc",
		cli,
		node,
		server,
		extensions: [...extensions, probeFile],
		env: { PI_BENCH_PID_FILE: PID_FILE },
	});
	await host.prompt(prompt);
	return {
		pid: Number(await readFile(join(host.directories.project, PID_FILE), "utf8")),
		get printed() {
			return host.events.reduce((sum, event) => sum + JSON.stringify(event).length + 1, 0);
		},
		dispose: () => host.dispose(),
	};
}

/** The interactive host in a pseudo terminal, when it has asked the model for the first time. */
export async function startTerminalHost(
	{ cli, node }: Host,
	server: ModelServer,
	extensions: readonly string[],
	prompt: string,
): Promise<IdleHost> {
	// Only for its directories: a print host starts nothing by itself.
	const { directories, dispose } = await createTestHost({ mode: "print", cli, node, server });
	const args = [...extensions, probeFile].flatMap((extension) => ["-e", extension]);
	const command = [node, cli, ...args, prompt].map(quoted).join(" ");
	const terminal = spawn("script", scriptArguments(`stty rows 40 cols 120; exec ${command}`), {
		cwd: directories.project,
		env: {
			PATH: process.env.PATH,
			TERM: "xterm-256color",
			SHELL: "/bin/sh",
			HOME: directories.home,
			PI_CODING_AGENT_DIR: directories.agentDir,
			PI_OFFLINE: "1",
			PI_TELEMETRY: "0",
			PI_BENCH_PID_FILE: PID_FILE,
		},
		// An input that is open and silent.
		stdio: ["pipe", "pipe", "inherit"],
	});
	let printed = 0;
	terminal.stdout.on("data", (data: Buffer) => {
		printed += data.length;
	});
	const requested = server.waitForRequest((request) => request.lastUserText === prompt);
	const failed = once(terminal, "exit").then(() => {
		throw new Error("The host in the terminal has exited.");
	});
	const missing = once(terminal, "error").then(() => {
		throw new Error("This row needs the program `script`, of util-linux or BSD.");
	});
	await Promise.race([requested, failed, missing]);
	failed.catch(() => undefined);
	const pid = Number(await readFile(join(directories.project, PID_FILE), "utf8"));
	return {
		pid,
		get printed() {
			return printed;
		},
		async dispose() {
			process.kill(pid, "SIGTERM");
			await failed.catch(() => undefined);
			await dispose();
		},
	};
}

/** The arguments of `script` that run a shell command in a pseudo terminal and keep no file. */
function scriptArguments(command: string): readonly string[] {
	return process.platform === "linux"
		? ["--quiet", "--return", "--command", command, "/dev/null"]
		: ["-q", "/dev/null", "/bin/sh", "-c", command];
}

function quoted(argument: string): string {
	return `'${argument.replaceAll("'", "'\\''")}'`;
}
