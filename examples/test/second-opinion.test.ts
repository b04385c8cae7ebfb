import { copyFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { currentHost, type PackedPackage, packExtension, releasedHost } from "@pi-subagents/e2e";
import {
	createTestHost,
	type ModelServer,
	type RpcTestHost,
	startModelServer,
} from "@pi-subagents/test-helpers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const source = resolve(import.meta.dirname, "..", "src", "second-opinion.ts");
let packed: PackedPackage;
let server: ModelServer;
let extension: string;

beforeAll(async () => {
	packed = await packExtension();
	// Where a package that depends on ours would find it.
	extension = join(packed.path, "..", "..", "..", "second-opinion.ts");
	copyFileSync(source, extension);
	server = await startModelServer({ strict: true });
}, 120_000);
afterAll(async () => {
	await server.close();
	await packed.remove();
});

describe.each([
	{ version: "0.73.1", find: async () => releasedHost() },
	{ version: "1.6.0", find: currentHost },
])("an extension that uses the service, on pi $version", { timeout: 120_000 }, ({ find }) => {
	let host: RpcTestHost;
	beforeAll(async () => {
		const { cli, node } = await find();
		const extensions = [packed.path, extension];
		host = await createTestHost({ mode: "rpc", cli, node, server, extensions });
	}, 120_000);
	afterAll(() => host?.dispose());

	test("asks two agents, one of a type of its own, and shows what they say", async () => {
		const from = host.events.length;
		const claim = 'No file is read twice. @@[{"text":"I see none."}]@@';
		await host.send({ type: "prompt", message: `/opinions ${claim}` });
		const shown = await host.waitFor(
			({ type, message }) =>
				type === "message_end" && JSON.stringify(message).includes('"customType":"opinions"'),
			from,
		);
		expect(shown).toMatchObject({
			message: {
				content: "Skeptic (completed): I see none.\n\nExplore (completed): I see none.",
			},
		});
		const asked = server.requests.filter(({ lastUserText }) => lastUserText?.startsWith("No file"));
		expect(asked.map(({ tools }) => [...tools].sort()).at(-1)).toContain("read");
	});

	test("does not wake the model for agents that nobody asked it to start", () => {
		expect(host.events.filter(({ type }) => type === "agent_start")).toEqual([]);
	});
});
