import { type HostLine, parseLine } from "../host-line.js";
import { type HostDirectories, removeHostDirectories } from "./host-directories.js";
import {
	endHostProcess,
	type HostCommand,
	type HostExit,
	type HostProcess,
	startHostProcess,
} from "./host-process.js";

/** A host that is started for every prompt. */
export interface BatchTestHost {
	readonly directories: HostDirectories;
	/** Runs the host with this prompt until it exits; `args` come before the prompt. */
	run(prompt: string, args?: readonly string[]): Promise<BatchResult>;
	/** Kills what still runs and removes the directories. */
	dispose(): Promise<void>;
}

/** What a run printed and how it ended. */
export interface BatchResult extends HostExit {
	/** In JSON mode, the events that were printed. */
	readonly events: readonly HostLine[];
}

/** A host that is not running yet. */
export function batchHost(
	options: HostCommand,
	directories: HostDirectories,
	mode: "print" | "json",
): BatchTestHost {
	const running = new Set<HostProcess>();
	return {
		directories,
		async run(prompt, args = []) {
			if (/^[-@]/.test(prompt)) {
				throw new Error(`The host would not take "${prompt}" for a prompt; begin it with a word.`);
			}
			const modeArgs = mode === "print" ? ["-p"] : ["--mode", "json"];
			const host = startHostProcess(options, directories, [...modeArgs, ...args, prompt], "none");
			running.add(host);
			try {
				const exit = await host.exited;
				const events = mode === "json" ? exit.stdout.split("\n").map(parseLine) : [];
				return { ...exit, events: events.filter((event) => event !== undefined) };
			} finally {
				running.delete(host);
			}
		},
		async dispose() {
			await Promise.all([...running].map(endHostProcess));
			await removeHostDirectories(directories);
		},
	};
}
