import type { Host } from "@pi-subagents/e2e";
import { createTestHost, type ModelRequest } from "@pi-subagents/test-helpers";
import { type HostBench, onBothHosts, withHostBench } from "../host.js";
import type { Result, Row } from "../result.js";

/** What the tools cost the parent in every request. */
export const measureTokens: Row = () =>
	withHostBench((bench) => onBothHosts((host) => tokens(bench, host)));

async function tokens(bench: HostBench, host: Host): Promise<readonly Result[]> {
	const alone = await firstRequest(bench, host, []);
	const ours = await firstRequest(bench, host, [bench.extension]);
	const tools = toolsOf(ours).filter((tool) => !alone.tools.includes(tool.function.name));
	const text = JSON.stringify(tools.map((tool) => tool.function));
	return [
		{
			what: `${host.version}: ${tools.length} tools with the built-in types, characters / 4`,
			unit: "tokens",
			ours: text.length / 4,
			limit: { of: "ours", most: 800 },
			note: `the whole request grows by ${(length(ours) - length(alone)) / 4}`,
		},
	];
}

async function firstRequest(
	{ server }: HostBench,
	{ cli, node }: Host,
	extensions: readonly string[],
): Promise<ModelRequest> {
	server.reset();
	const host = await createTestHost({ mode: "print", cli, node, extensions, server });
	try {
		const { code, stderr } = await host.run("Hello");
		const request = server.requests[0];
		if (code !== 0 || request === undefined) throw new Error(`The host failed: ${stderr}`);
		return request;
	} finally {
		await host.dispose();
	}
}

interface Tool {
	readonly function: { readonly name: string };
}

function toolsOf(request: ModelRequest): readonly Tool[] {
	const { tools } = request.body;
	return Array.isArray(tools) ? tools : [];
}

/** Of the request without what differs by chance: the directory of the host. */
function length(request: ModelRequest): number {
	return JSON.stringify(request.body).replace(/pi-test-host-\w+/g, "").length;
}
