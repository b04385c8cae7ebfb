import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { currentHost, type Host, releasedHost } from "../src/index.js";

const run = promisify(execFile);

describe.each([
	{ name: "released", version: "0.73.1", host: async () => releasedHost() },
	{ name: "current", version: "1.6.0", host: currentHost },
])("the $name host", { timeout: 120_000 }, ({ version, host }) => {
	test("starts, and is the version that it says", async () => {
		const { cli, node, version: said } = await host();
		const env = { ...process.env, PI_OFFLINE: "1" };
		const { stdout, stderr } = await run(node, [cli, "--version"], { env });
		expect(`${stdout}${stderr}`.trim()).toBe(version);
		expect(said).toBe(version);
	});

	test("can be used inside a process", async () => {
		const found = await exportsOf(await host());
		expect(found).toEqual({ createAgentSession: "function", Agent: "function" });
	});
});

async function exportsOf({ agentCore, node, sdk }: Host): Promise<unknown> {
	const program = `
		const { createAgentSession } = await import(process.argv[1]);
		const { Agent } = await import(process.argv[2]);
		console.log(JSON.stringify({ createAgentSession: typeof createAgentSession, Agent: typeof Agent }));
	`;
	const { stdout } = await run(node, ["--input-type=module", "-e", program, sdk, agentCore]);
	return JSON.parse(stdout);
}
