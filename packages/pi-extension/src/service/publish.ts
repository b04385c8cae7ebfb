import { SERVICE_KEY } from "./access.js";
import type { SubagentsService } from "./api.js";

/**
 * Puts the service where others find it. Returns what takes it away again: a session that was started before and still
 * runs, in a program with several, is found again then.
 */
export function publishService(service: SubagentsService): () => void {
	const shared = globalThis as typeof globalThis & { [SERVICE_KEY]?: SubagentsService };
	const before = shared[SERVICE_KEY]?.isStale === false ? shared[SERVICE_KEY] : undefined;
	shared[SERVICE_KEY] = service;
	return () => {
		if (shared[SERVICE_KEY] !== service) return;
		if (before === undefined || before.isStale) delete shared[SERVICE_KEY];
		else shared[SERVICE_KEY] = before;
	};
}
