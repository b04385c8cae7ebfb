import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { createTestHost, type RpcTestHost } from "../src/index.js";
import { runState } from "../src/test-host/settled.js";
import { loadTrace, traceNames } from "../src/traces.js";

const cli = fileURLToPath(new URL("./fake-cli.js", import.meta.url));
const server = { url: "http://127.0.0.1:1/v1" };
const hosts: { dispose(): Promise<void> }[] = [];

afterEach(async () => {
	for (const host of hosts.splice(0)) await host.dispose();
});

async function rpcHost(): Promise<RpcTestHost> {
	const host = await createTestHost({ cli, server, mode: "rpc", args: ["--model", "mock/m2"] });
	hosts.push(host);
	await host.waitFor((event) => event.type === "started");
	return host;
}

describe("a host that is started for every prompt", () => {
	test("finds its own directories, files and environment, and nothing else", async () => {
		const host = await createTestHost({
			cli,
			server,
			mode: "json",
			extensions: ["/ext/a.ts", "/ext/b.ts"],
			args: ["--no-session"],
			env: { MINE: "1" },
			settings: { defaultModel: "small" },
			agentFiles: { scout: "---\ndescription: Looks\n---\nLook.", "b.md": "B" },
			agentDirFiles: { "subagents.json": "{}" },
			projectFiles: { "src/a.txt": "text" },
		});
		hosts.push(host);
		const { agentDir, home, project } = host.directories;
		process.env.SECRET_KEY = "secret";
		const result = await host.run("do it", ["--continue"]);
		delete process.env.SECRET_KEY;

		expect(result).toMatchObject({ code: 0, signal: null, stderr: "" });
		expect(result.events).toMatchObject([
			{
				type: "started",
				args: [
					"-e",
					"/ext/a.ts",
					"-e",
					"/ext/b.ts",
					"--no-session",
					"--mode",
					"json",
					"--continue",
					"do it",
				],
				env: { HOME: home, PI_OFFLINE: "1", PI_TELEMETRY: "0", MINE: "1" },
				cwd: project,
				agents: ["b.md", "scout.md"],
				settings: { defaultModel: "small", defaultProvider: "mock" },
				models: { providers: { mock: { baseUrl: server.url } } },
			},
		]);
		expect(result.events[0]?.env).not.toHaveProperty("SECRET_KEY");
		expect(await readFile(join(project, "src/a.txt"), "utf8")).toBe("text");
		expect(await readFile(join(agentDir, "subagents.json"), "utf8")).toBe("{}");
	});

	test("tells its exit code and what it printed", async () => {
		const host = await createTestHost({ cli, server, mode: "print" });
		hosts.push(host);
		const result = await host.run("fail");
		expect(result.code).toBe(1);
		expect(result.stdout).toMatch(/^not JSON\n/);
		expect(result.events).toEqual([]);
	});

	test("refuses a prompt that the program would take for something else", async () => {
		const host = await createTestHost({ cli, server, mode: "print" });
		hosts.push(host);
		await expect(host.run("@@[]@@")).rejects.toThrow("begin it with a word");
	});

	test("leaves nothing behind", async () => {
		const host = await createTestHost({ cli, server, mode: "print" });
		expect(existsSync(host.directories.root)).toBe(true);
		await host.dispose();
		expect(existsSync(host.directories.root)).toBe(false);
	});

	test("installs packages first, and runs where it is told", async () => {
		const cwd = import.meta.dirname;
		const packages = ["./a", "./b"];
		const host = await createTestHost({ cli, server, mode: "json", packages, cwd });
		hosts.push(host);
		const { events } = await host.run("do it");
		expect(events).toMatchObject([
			{ args: ["--mode", "json", "do it"], cwd, settings: { packages: ["./a", "./b"] } },
		]);
	});

	test("that cannot install a package says why", async () => {
		const host = createTestHost({ cli, server, mode: "print", packages: ["missing"] });
		await expect(host).rejects.toThrow("The host cannot install missing:\ncannot find missing");
	});

	test("that cannot be started rejects", async () => {
		const host = await createTestHost({ cli, node: "/no/such/node", server, mode: "print" });
		hosts.push(host);
		await expect(host.run("hello")).rejects.toThrow("ENOENT");
	});
});

describe("a host in the terminal", () => {
	test("runs until its user leaves, with the arguments that it is given", async () => {
		const cwd = import.meta.dirname;
		const host = await createTestHost({ cli, server, mode: "terminal", cwd });
		hosts.push(host);
		expect(await host.run(["--terminal", cwd])).toEqual({ code: 7, signal: null });
	});
});

describe("a host that is spoken to", () => {
	test("answers a prompt when its run is over for good", async () => {
		const host = await rpcHost();
		const { events, text } = await host.prompt("settle");
		expect(text).toBe("settled\u2028text");
		expect(events.map((event) => event.type)).toEqual([
			"agent_start",
			"agent_end",
			"agent_start",
			"message_end",
			"agent_end",
			"agent_settled",
		]);
	});

	test("has dialogs that are answered, and may not say when it has settled", async () => {
		const host = await rpcHost();
		const prompt = host.prompt("ask");
		const request = await host.waitFor((event) => event.type === "extension_ui_request");
		host.respond(request, { confirmed: true });
		expect((await prompt).text).toBe(
			'answered {"type":"extension_ui_response","id":"q1","confirmed":true}',
		);
	});

	test("may refuse a prompt, or handle it without a run", async () => {
		const host = await rpcHost();
		await expect(host.prompt("busy")).rejects.toThrow("already processing");
		expect(await host.prompt("/command")).toEqual({ events: [], text: "" });
		expect(await host.send({ type: "prompt", message: "busy" })).toEqual({
			success: false,
			error: "already processing",
		});
	});

	test("prompts again when a run is over that ends without a further event", async () => {
		const host = await rpcHost();
		expect(await host.prompt("ending")).toEqual({ events: [], text: "" });
	});

	test("finds an event that came, or comes after a given one", async () => {
		const host = await rpcHost();
		const isEnd = (event: { type: string }): boolean => event.type === "agent_end";
		await host.prompt("settle");
		const first = await host.waitFor(isEnd);
		expect(first.willRetry).toBe(true);
		const next = host.waitFor(isEnd, host.events.length);
		await host.prompt("settle");
		expect(await next).toBe(host.events.filter(isEnd)[2]);
	});

	test("exits by itself when its input ends", async () => {
		const host = await rpcHost();
		expect(await host.close()).toMatchObject({ code: 0, signal: null, stderr: "bye\n" });
	});

	test("is killed by a signal", async () => {
		const host = await rpcHost();
		expect(await host.kill()).toMatchObject({ code: null, signal: "SIGTERM" });
	});

	test("that ends lets no one wait", async () => {
		const host = await rpcHost();
		const ends = await Promise.allSettled([host.waitFor(() => false), host.send({ type: "die" })]);
		const reason = expect.objectContaining({
			message: "The host ended with code 3 before that happened. It said:\nI am dying\n",
		});
		expect(ends).toEqual([
			{ status: "rejected", reason },
			{ status: "rejected", reason },
		]);
		await expect(host.send({ type: "get_state" })).rejects.toThrow("The host ended");
	});

	test("starts again in the same directories", async () => {
		const host = await rpcHost();
		const first = await host.waitFor((event) => event.type === "started");
		await host.restart(["--continue"]);
		const second = await host.waitFor((event) => event.type === "started");
		expect(first.args).toEqual(["--model", "mock/m2", "--mode", "rpc"]);
		expect(second.args).toEqual(["--model", "mock/m2", "--mode", "rpc", "--continue"]);
		expect(second.cwd).toBe(first.cwd);
		expect(host.events).toHaveLength(1);
	});
});

describe("whether a run is over", () => {
	test.each(traceNames("1.6.0").filter((name) => name !== "dispose-in-run"))(
		"1.6.0 says at the end of %s, and not before a retry or a compaction",
		(name) => {
			const { events } = loadTrace("1.6.0", name);
			const settled = events.findIndex((event) => event.type === "agent_settled");
			expect(runState(events.slice(0, settled))).not.toBe("settled");
			expect(runState(events)).toBe("settled");
		},
	);

	test.each(traceNames("0.73.1").filter((name) => name !== "dispose-in-run"))(
		"0.73.1 may say at the end of %s",
		(name) => {
			expect(runState(loadTrace("0.73.1", name).events)).toBe("perhaps");
		},
	);

	test("0.73.1 goes on while a retry or a compaction does", () => {
		const start = { type: "agent_start" };
		const end = { type: "agent_end" };
		const restart = { type: "compaction_end", willRetry: true, result: { tokensBefore: 1 } };
		expect(runState([])).toBe("running");
		expect(runState([start])).toBe("running");
		expect(runState([start, end])).toBe("perhaps");
		expect(runState([start, end, { type: "auto_retry_start" }])).toBe("running");
		expect(runState([start, end, { type: "auto_retry_start" }, start, end])).toBe("running");
		expect(runState([start, end, { type: "compaction_start" }])).toBe("running");
		expect(runState([start, end, { type: "compaction_start" }, restart])).toBe("running");
		expect(runState([start, end, restart, start, end])).toBe("perhaps");
	});
});
