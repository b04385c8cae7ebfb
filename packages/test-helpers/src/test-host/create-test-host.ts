import { type BatchTestHost, batchHost } from "./batch-host.js";
import { type HostFiles, makeHostDirectories, removeHostDirectories } from "./host-directories.js";
import { type HostCommand, installPackages } from "./host-process.js";
import { type RpcTestHost, rpcHost } from "./rpc-host.js";
import { type TerminalTestHost, terminalHost } from "./terminal-host.js";

/** How to start a host, what files it finds, and the model server that it asks. */
export interface TestHostOptions extends HostCommand, HostFiles {
	/**
	 * `print` and `json` run one prompt per process, `rpc` one process for many; `terminal` is the interactive pi, for a
	 * person who tries an extension by hand.
	 */
	readonly mode: "print" | "json" | "rpc" | "terminal";
}

/**
 * Prepares a real host to test an extension in: the command line program of pi, 0.73.1 or 1.6.0, with a home, an agent
 * directory and a project of its own below a temporary directory, an environment without anything of the person who runs
 * the test, and a scripted model. In RPC mode it is started at once. Call `dispose` in the end. Rejects if a package cannot
 * be installed.
 */
export function createTestHost(
	options: TestHostOptions & { readonly mode: "rpc" },
): Promise<RpcTestHost>;
export function createTestHost(
	options: TestHostOptions & { readonly mode: "print" | "json" },
): Promise<BatchTestHost>;
export function createTestHost(
	options: TestHostOptions & { readonly mode: "terminal" },
): Promise<TerminalTestHost>;
export async function createTestHost(
	options: TestHostOptions,
): Promise<BatchTestHost | RpcTestHost | TerminalTestHost> {
	const directories = await makeHostDirectories(options);
	try {
		await installPackages(options, directories);
	} catch (error) {
		await removeHostDirectories(directories);
		throw error;
	}
	switch (options.mode) {
		case "rpc":
			return rpcHost(options, directories);
		case "terminal":
			return terminalHost(options, directories);
		default:
			return batchHost(options, directories, options.mode);
	}
}
