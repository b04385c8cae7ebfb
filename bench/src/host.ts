import {
	currentHost,
	type Host,
	type PackedPackage,
	packExtension,
	releasedHost,
} from "@pi-subagents/e2e";
import { type ModelServer, startModelServer } from "@pi-subagents/test-helpers";

/** Files of the agent directory that keep the probe out of the agents: raw sessions do not load it either. */
export const WITHOUT_PROBE = {
	"subagents.json": JSON.stringify({ excludeExtensions: ["probe"] }),
} as const;

/** What rows that start hosts need. */
export interface HostBench {
	readonly server: ModelServer;
	/** The extension, packed and installed where no development copy of pi can be reached. */
	readonly extension: string;
}

/** Packs the extension and starts a scripted model in this process for as long as `work` goes on. */
export async function withHostBench<T>(work: (bench: HostBench) => Promise<T>): Promise<T> {
	const server = await startModelServer();
	let packed: PackedPackage | undefined;
	try {
		packed = await packExtension();
		return await work({ server, extension: packed.path });
	} finally {
		await server.close();
		await packed?.remove();
	}
}

/** `measure` for both hosts, one after the other. */
export async function onBothHosts<T>(measure: (host: Host) => Promise<readonly T[]>): Promise<T[]> {
	return [...(await measure(releasedHost())), ...(await measure(await currentHost()))];
}
