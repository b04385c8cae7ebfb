import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { installCurrentHost } from "./install-current-host.js";
import { currentHostFolder, e2eFolder } from "./paths.js";

/**
 * The two releases of pi that everything has to work on: the last one under the old scope, and the current one, which
 * needs a newer Node than the rest of the project.
 */
export type HostName = "released" | "current";

/** A pi that is installed and can be started. All paths are absolute. */
export interface Host {
	readonly name: HostName;
	readonly version: string;
	/** The Node binary that it runs on. */
	readonly node: string;
	/** What that binary runs for the command `pi`. */
	readonly cli: string;
	/** The main file of its pi-coding-agent, for use inside a process on {@link node}. */
	readonly sdk: string;
	/** The same of its pi-agent-core. */
	readonly agentCore: string;
	/** The scope of its packages, for example `@mariozechner`. */
	readonly scope: string;
	/** The `node_modules` folder that holds that scope. */
	readonly modules: string;
}

/** pi 0.73.1 on the Node that this process runs on; it is installed with the project. */
export function releasedHost(): Host {
	const modules = join(e2eFolder, "node_modules");
	return describeHost("released", modules, "@mariozechner", process.execPath);
}

/** pi 1.6.0 on Node 22, whatever this process runs on. Installed when it is first asked for, and when it changed. */
export async function currentHost(): Promise<Host> {
	await installCurrentHost();
	const modules = join(currentHostFolder, "node_modules");
	return describeHost("current", modules, "@earendil-works", newerNode(modules));
}

interface HostManifest {
	readonly version: string;
	readonly main: string;
	readonly bin: { readonly pi: string };
}

function describeHost(name: HostName, modules: string, scope: string, node: string): Host {
	const main = (packageName: string): string => {
		const folder = join(modules, scope, packageName);
		return join(folder, readManifest(folder).main);
	};
	const codingAgent = join(modules, scope, "pi-coding-agent");
	const { version, bin } = readManifest(codingAgent);
	const cli = join(codingAgent, bin.pi);
	const sdk = main("pi-coding-agent");
	return { name, version, node, cli, sdk, agentCore: main("pi-agent-core"), scope, modules };
}

function readManifest(folder: string): HostManifest {
	return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

/** The binary from the registry, so that the host is tested on one known Node; where there is none, this process's own. */
function newerNode(modules: string): string {
	const platform = `${process.platform}-${process.arch}`;
	const installed = ["node", "node-bin"]
		.map((prefix) => join(modules, `${prefix}-${platform}`, "bin", "node"))
		.find((file) => existsSync(file));
	if (installed) return installed;
	const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
	if (major > 22 || (major === 22 && minor >= 19)) return process.execPath;
	throw new Error(
		`pi 1.6.0 needs Node 22.19 or later, there is no package with one for ${platform}, and this is Node ${process.versions.node}; run this on a newer Node.`,
	);
}
