import { spawn } from "node:child_process";
import { once } from "node:events";
import { createTestHost, type ModelServer } from "@pi-subagents/test-helpers";
import xterm from "@xterm/headless";
import type { Host } from "../dist/index.js";

/** The interactive host in a terminal that nobody looks at. */
export interface Screen {
	/** What is on the screen now: lines without blanks at their ends, and no empty ones at the end. */
	text(): string;
	/** The title of the terminal, and how often its bell rang. */
	readonly title: string;
	readonly bells: number;
	/** How many bytes the host has printed. */
	readonly printed: number;
	/** Whether the host has ever asked to remove what has scrolled away. */
	readonly hasCleared: boolean;
	/** Presses keys, one after the other: `up`, `ctrl+o`, `enter`, or any text as it is. */
	press(...keys: readonly string[]): void;
	/** Resolves with the screen as soon as it has all of these. Rejects with the screen after some time. */
	waitFor(...what: readonly RegExp[]): Promise<string>;
	/** The same, as soon as it has this no more. */
	waitForEnd(of: RegExp): Promise<string>;
	resize(columns: number, rows: number): void;
	/** Ends the host, and resolves with how it ended. */
	close(): Promise<{ readonly code: number | null }>;
}

/** How it is started. */
export interface ScreenOptions {
	readonly host: Host;
	readonly server: ModelServer;
	readonly extensions: readonly string[];
	/** What it is asked at once. Keys that are pressed while a host starts are lost. */
	readonly prompt: string;
	readonly columns?: number;
	readonly rows?: number;
	readonly subagents?: Readonly<Record<string, unknown>>;
	readonly projectFiles?: Readonly<Record<string, string>>;
}

const PATIENCE_MS = 15_000;
const KEYS: Readonly<Record<string, string>> = {
	"alt+a": "\u001ba",
	"ctrl+o": "\u000f",
	"ctrl+c": "\u0003",
	down: "\u001b[B",
	end: "\u001b[F",
	enter: "\r",
	escape: "\u001b",
	home: "\u001b[H",
	pageUp: "\u001b[5~",
	tab: "\t",
	up: "\u001b[A",
};

/** Opens the host; resolves when it shows its editor. */
export async function openScreen(options: ScreenOptions): Promise<Screen> {
	const { host, server, extensions, columns = 100, rows = 30, subagents = {} } = options;
	// Only for its directories: a print host starts nothing by itself.
	const { directories, dispose } = await createTestHost({
		mode: "print",
		cli: host.cli,
		node: host.node,
		server,
		agentDirFiles: { "subagents.json": JSON.stringify(subagents) },
		...(options.projectFiles && { projectFiles: options.projectFiles }),
	});
	const loaded = extensions.flatMap((extension) => ["-e", extension]);
	const command = [host.node, host.cli, ...loaded, options.prompt].map(quoted).join(" ");
	const terminal = new xterm.Terminal({
		cols: columns,
		rows,
		allowProposedApi: true,
		scrollback: 5000,
	});
	const child = spawn(
		"script",
		scriptArguments(`stty rows ${rows} cols ${columns}; exec ${command}`),
		{
			cwd: directories.project,
			env: {
				PATH: process.env.PATH,
				TERM: "xterm-256color",
				LANG: "C.UTF-8",
				SHELL: "/bin/sh",
				HOME: directories.home,
				PI_CODING_AGENT_DIR: directories.agentDir,
				PI_OFFLINE: "1",
				PI_SKIP_VERSION_CHECK: "1",
				PI_TELEMETRY: "0",
			},
			stdio: ["pipe", "pipe", "inherit"],
		},
	);
	const watchers = new Set<() => void>();
	const exited = once(child, "exit");
	let title = "";
	let bells = 0;
	let printed = 0;
	let hasCleared = false;
	terminal.onTitleChange((text) => {
		title = text;
	});
	terminal.onBell(() => bells++);
	// Answers to what the host asks its terminal.
	terminal.onData((data) => child.stdin.write(data));
	child.stdin.on("error", () => undefined);
	child.stdout.on("data", (data: Buffer) => {
		printed += data.length;
		hasCleared ||= data.includes("\u001b[3J");
		terminal.write(data, () => {
			for (const watcher of [...watchers]) watcher();
		});
	});

	function text(): string {
		const { active } = terminal.buffer;
		const lines = Array.from(
			{ length: terminal.rows },
			(_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? "",
		);
		return lines.join("\n").trimEnd();
	}

	function until(fits: (shown: string) => boolean, what: string): Promise<string> {
		return new Promise((resolve, reject) => {
			const look = (): void => {
				if (!fits(text())) return;
				end();
				resolve(text());
			};
			const timer = setTimeout(() => {
				end();
				reject(new Error(`The screen never had ${what}:\n${text()}`));
			}, PATIENCE_MS);
			function end(): void {
				clearTimeout(timer);
				watchers.delete(look);
			}
			watchers.add(look);
			look();
		});
	}

	const screen: Screen = {
		text,
		get title() {
			return title;
		},
		get bells() {
			return bells;
		},
		get printed() {
			return printed;
		},
		get hasCleared() {
			return hasCleared;
		},
		press(...keys) {
			for (const key of keys) child.stdin.write(KEYS[key] ?? key);
		},
		waitFor: (...what) => until((shown) => what.every((each) => each.test(shown)), String(what)),
		waitForEnd: (of) => until((shown) => !of.test(shown), `no ${of}`),
		resize(newColumns, newRows) {
			terminal.resize(newColumns, newRows);
		},
		async close() {
			child.stdin.write("/quit\r");
			const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
			const [code]: (number | null)[] = await exited;
			clearTimeout(timer);
			terminal.dispose();
			await dispose();
			return { code: code ?? null };
		},
	};
	await screen.waitFor(/\d%\/\d+k/);
	return screen;
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
