import { type HostDirectories, removeHostDirectories } from "./host-directories.js";
import { type HostCommand, type HostExit, startInTerminal } from "./host-process.js";

/** The interactive pi, in the terminal of this process. */
export interface TerminalTestHost {
	readonly directories: HostDirectories;
	/** Runs it until the person at the terminal leaves; `args` may end with a first prompt. */
	run(args?: readonly string[]): Promise<Pick<HostExit, "code" | "signal">>;
	/** Ends what still runs and removes the directories. */
	dispose(): Promise<void>;
}

/** A host that is not running yet. */
export function terminalHost(options: HostCommand, directories: HostDirectories): TerminalTestHost {
	let end = (): Promise<unknown> => Promise.resolve();
	return {
		directories,
		run(args = []) {
			const child = startInTerminal(options, directories, args);
			const exited = new Promise<Pick<HostExit, "code" | "signal">>((resolve, reject) => {
				child.once("error", reject);
				child.once("close", (code, signal) => resolve({ code, signal }));
			});
			end = () => {
				// Not killed: pi gives the terminal back as it found it.
				child.kill("SIGTERM");
				return exited.catch(() => undefined);
			};
			return exited;
		},
		async dispose() {
			await end();
			await removeHostDirectories(directories);
		},
	};
}
