import { type ChildProcess, spawn } from "node:child_process";
import { basename, parse } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { HELPER_SOURCE } from "./helper-source.js";
import {
	type Command,
	type CommandListener,
	KILL_GRACE,
	killGroup,
	type StartCommand,
	startDirectly,
} from "./started-command.js";

/** Milliseconds without a command after which the helper ends; the next command starts another one. */
const IDLE = 10_000;

/** Milliseconds in which a helper has to be ready; otherwise commands are started without one. */
const PATIENCE = 10_000;

/** What has been asked of a helper. */
interface Asked {
	readonly command: Command;
	readonly listener: CommandListener;
	pid?: number;
	/** What ends it if it was started without the helper after all. */
	endDirectly?: (signal: "SIGTERM" | "SIGKILL") => void;
}

/** Options of {@link createHelper}. */
export interface HelperOptions {
	/** @defaultValue the Node that runs this, if it is one */
	readonly node?: string | undefined;
	/** Hears of each helper that was started. */
	readonly onStarted?: (pid: number | undefined) => void;
}

/**
 * Starts commands from a small process that lives as long as there is work: the larger a process is, the longer it
 * stands still when it starts another one, and a terminal must not. If there can be no such process, commands are started
 * directly. When it dies, its commands are ended and fail; the next one gets a new helper.
 */
export function createHelper(options: HelperOptions = {}): StartCommand {
	const node = "node" in options ? options.node : ownNode();
	const asked = new Map<number, Asked>();
	let helper: ChildProcess | undefined;
	let isReady = false;
	let cannot = node === undefined;
	let lastId = 0;
	let timer: NodeJS.Timeout | undefined;

	function open(program: string): ChildProcess {
		const { NODE_OPTIONS: _, ...env } = process.env;
		const opened = spawn(program, ["--eval", HELPER_SOURCE], {
			env,
			// It must not keep a directory from being removed.
			cwd: parse(process.execPath).root,
			stdio: ["ignore", "ignore", "ignore", "ipc"],
			serialization: "advanced",
			// Not among those that Ctrl-C in the terminal reaches.
			detached: true,
			windowsHide: true,
		});
		isReady = false;
		opened.on("message", (message) => {
			if (opened === helper) hear(message);
		});
		const gone = (): void => {
			if (opened === helper) lose();
		};
		opened.on("error", gone);
		opened.once("exit", gone);
		opened.once("disconnect", gone);
		wait(PATIENCE, () => {
			if (!isReady) lose();
		});
		// It keeps this process only as long as somebody waits for a command.
		opened.unref();
		options.onStarted?.(opened.pid);
		return opened;
	}

	function hear(message: unknown): void {
		if (!Array.isArray(message)) return;
		const [kind, id, ...rest] = message;
		if (kind === "ready") {
			isReady = true;
			clearTimeout(timer);
			return;
		}
		const one = asked.get(id);
		if (one === undefined) return;
		if (kind === "started") one.pid = rest[0];
		else if (kind === "output") one.listener.onOutput(rest[0], Buffer.from(rest[1]));
		else if (kind === "ended") {
			leave(id);
			one.listener.onEnd(rest[0]);
		}
	}

	/** The helper is gone, or of no use. */
	function lose(): void {
		const lost = helper;
		const wasReady = isReady;
		helper = undefined;
		clearTimeout(timer);
		lost?.kill("SIGKILL");
		if (lost?.connected) lost.disconnect();
		if (!wasReady) cannot = true;
		const left = [...asked.values()];
		asked.clear();
		for (const one of left) {
			if (wasReady) {
				// How it ends nobody can say any more, so it must not go on unseen.
				void endOrphan(one.pid).then(() => {
					const message = "the process that had started it has ended";
					one.listener.onEnd({ code: null, signal: null, error: { message } });
				});
			} else one.endDirectly = startDirectly(one.command, one.listener);
		}
	}

	function leave(id: number): void {
		asked.delete(id);
		if (asked.size > 0) return;
		helper?.channel?.unref();
		wait(IDLE, close);
	}

	/** Nobody needs it any more; it ends by itself. */
	function close(): void {
		const closed = helper;
		helper = undefined;
		if (closed?.connected) closed.disconnect();
	}

	function wait(milliseconds: number, then: () => void): void {
		clearTimeout(timer);
		timer = setTimeout(then, milliseconds);
		timer.unref();
	}

	return (command, listener) => {
		if (cannot || node === undefined) return startDirectly(command, listener);
		if (isReady) clearTimeout(timer);
		helper ??= open(node);
		helper.channel?.ref();
		const id = ++lastId;
		const one: Asked = { command, listener };
		asked.set(id, one);
		const { cwd, env, args, input } = command;
		tell(["start", id, command.command, args, { cwd, env: { ...env } }, input]);
		return (signal) => {
			if (one.endDirectly) one.endDirectly(signal);
			else tell(["end", id, signal]);
		};
	};

	/** What cannot be sent is seen by the end of the helper. */
	function tell(message: readonly unknown[]): void {
		if (helper?.connected) helper.send([...message], () => {});
	}
}

/** Ends a command that is nobody's child any more; it may use some seconds to take its locks away. */
async function endOrphan(pid: number | undefined): Promise<void> {
	if (pid === undefined) return;
	killGroup(pid, "SIGTERM");
	for (let waited = 0; waited < KILL_GRACE && killGroup(pid, 0); waited += 20) await sleep(20);
	killGroup(pid, "SIGKILL");
}

/** The program that runs this, if it is a Node that can run another script; programs that contain one are not. */
function ownNode(): string | undefined {
	const isNode = /^node(?:js)?(?:\.exe)?$/i.test(basename(process.execPath));
	return isNode && process.versions.bun === undefined ? process.execPath : undefined;
}
