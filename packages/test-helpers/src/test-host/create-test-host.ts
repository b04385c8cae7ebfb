import { type BatchTestHost, batchHost } from "./batch-host.js";
import { type HostFiles, makeHostDirectories } from "./host-directories.js";
import type { HostCommand } from "./host-process.js";
import { type RpcTestHost, rpcHost } from "./rpc-host.js";

/** How to start a host, what files it finds, and the model server that it asks. */
export interface TestHostOptions extends HostCommand, HostFiles {
	/** `print` and `json` run one prompt per process, `rpc` one process for many. */
	readonly mode: "print" | "json" | "rpc";
}

/**
 * Prepares a real host to test an extension in: the command line program of pi, 0.73.1 or 1.6.0, with a home, an agent
 * directory and a project of its own below a temporary directory, an environment without anything of the person who runs
 * the test, and a scripted model. In RPC mode it is started at once. Call `dispose` in the end.
 */
export function createTestHost(
	options: TestHostOptions & { readonly mode: "rpc" },
): Promise<RpcTestHost>;
export function createTestHost(
	options: TestHostOptions & { readonly mode: "print" | "json" },
): Promise<BatchTestHost>;
export async function createTestHost(
	options: TestHostOptions,
): Promise<BatchTestHost | RpcTestHost> {
	const directories = await makeHostDirectories(options);
	return options.mode === "rpc"
		? rpcHost(options, directories)
		: batchHost(options, directories, options.mode);
}
