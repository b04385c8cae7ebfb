import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { benchFolder } from "./paths.js";

/** A scripted model server in a process of its own. */
export interface ModelProcess {
	/** The base URL, with `/v1`. */
	readonly url: string;
	close(): void;
}

/** Starts the server; it ends with this process at the latest. */
export async function startModelProcess(): Promise<ModelProcess> {
	const child = fork(join(benchFolder, "dist", "serve-model.js"), { execArgv: [] });
	const [url] = await once(child, "message");
	if (typeof url !== "string") throw new Error("The model server did not say where it is.");
	return { url, close: () => child.disconnect() };
}
