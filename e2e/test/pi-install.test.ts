import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createTestHost, type ModelServer, startModelServer } from "@pi-subagents/test-helpers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { execute } from "../dist/execute.js";
import { currentHost, type Host, type HostName, releasedHost } from "../dist/index.js";

const NAME = "@pi-subagents/pi-extension";
const SOURCE = `npm:${NAME}`;
let folder: string;
let registry: Server;
let url: string;
let server: ModelServer;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "pi-subagents-install-"));
	const source = resolve(import.meta.dirname, "../../packages/pi-extension");
	const pack = ["pack", "--json", "--reporter=silent", "--pack-destination", folder];
	const { filename }: { filename: string } = JSON.parse(await execute("pnpm", pack, source));
	const tarball = await readFile(filename);
	const packed = await execute("tar", ["-xzOf", filename, "package/package.json"], folder);
	const manifest: { version: string } = JSON.parse(packed);
	const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
	// As much of a registry as npm asks for one package.
	registry = createServer((request, response) => {
		if (request.url === "/extension.tgz") return void response.end(tarball);
		if (decodeURIComponent(request.url ?? "") !== `/${NAME}`) {
			return void response.writeHead(404).end();
		}
		const { version } = manifest;
		const dist = { tarball: `${url}/extension.tgz`, integrity };
		const versions = { [version]: { ...manifest, dist } };
		response.end(JSON.stringify({ name: NAME, "dist-tags": { latest: version }, versions }));
	});
	await new Promise<void>((listening) => registry.listen(0, "127.0.0.1", listening));
	const address = registry.address();
	if (address === null || typeof address === "string") throw new Error("The registry has no port.");
	url = `http://127.0.0.1:${address.port}`;
	server = await startModelServer({ strict: true });
}, 60_000);
afterAll(async () => {
	await server.close();
	registry.close();
	await rm(folder, { recursive: true, force: true });
});

describe.each<HostName>(["released", "current"])("pi install (%s host)", (name) => {
	test("installs the extension from a registry, uses it, and removes it without a trace or a warning", async () => {
		const found: Host = name === "released" ? releasedHost() : await currentHost();
		const env = {
			"npm_config_@pi-subagents:registry": url,
			npm_config_registry: url,
			npm_config_prefix: join(folder, name),
			npm_config_cache: join(folder, "cache"),
			npm_config_update_notifier: "false",
			// Installing needs a registry, and this one is here.
			PI_OFFLINE: "",
		};
		const { cli, node } = found;
		const host = await createTestHost({ mode: "print", cli, node, server, env });
		const { agentDir, home, project } = host.directories;
		const { PATH = "" } = process.env;
		const whole = { PATH, HOME: home, PI_CODING_AGENT_DIR: agentDir, ...env };
		const assignments = Object.entries(whole).map(([key, value]) => `${key}=${value}`);
		const pi = (...args: string[]): Promise<string> =>
			execute(
				"env",
				["-i", ...assignments, "sh", "-c", '"$@" 2>&1', "pi", node, cli, ...args],
				project,
			);

		const installed = await pi("install", SOURCE);
		expect(installed).toContain(SOURCE);
		expect(installed).not.toMatch(/warn|deprecat|error/i);
		const settings = () => readFile(join(agentDir, "settings.json"), "utf8");
		expect(await settings()).toContain(SOURCE);

		const used = await host.run("Hello");
		expect(used).toMatchObject({ code: 0, stderr: "" });
		expect(server.requests.at(-1)?.tools).toContain("subagent");

		expect(await pi("remove", SOURCE)).not.toMatch(/warn|error/i);
		const after = await host.run("Hello again");
		expect(after).toMatchObject({ code: 0, stderr: "" });
		expect(server.requests.at(-1)?.tools).not.toContain("subagent");
		expect(await settings()).not.toContain(NAME);
		await host.dispose();
	}, 300_000);
});
