import { execFile } from "node:child_process";
import {
	mkdirSync,
	mkdtempSync,
	readFileSync,
	realpathSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { currentHost, releasedHost } from "@pi-subagents/e2e";
import { type ModelServer, startModelServer } from "@pi-subagents/test-helpers";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

const examples = resolve(import.meta.dirname, "..");
const program = join(examples, "dist", "run-a-subagent.js");
const folder = realpathSync(mkdtempSync(join(tmpdir(), "pi-subagents-example-")));
let server: ModelServer;

beforeAll(async () => {
	server = await startModelServer();
});
beforeEach(() => server.reset());
afterAll(async () => {
	await server.close();
	rmSync(folder, { recursive: true, force: true });
});

/** The program as its first lines say to change it, in a folder where only the packages of pi 1.6.0 can be found. */
async function forCurrentHost() {
	const { modules, node, scope } = await currentHost();
	const text = readFileSync(program, "utf8")
		.replace("@mariozechner/pi-agent-core", "@earendil-works/pi-agent-core")
		.replace("@mariozechner/pi-ai", "@earendil-works/pi-ai/compat");
	mkdirSync(join(folder, "node_modules"));
	symlinkSync(join(modules, scope), join(folder, "node_modules", scope));
	const ours = join("node_modules", "@pi-subagents");
	symlinkSync(join(examples, ours), join(folder, ours));
	writeFileSync(join(folder, "run-a-subagent.mjs"), text);
	return { node, file: join(folder, "run-a-subagent.mjs") };
}

function run(node: string, args: readonly string[], env: Readonly<Record<string, string>>) {
	return new Promise<{ code: number; output: string }>((done) => {
		const child = execFile(node, args, { env }, (_error, stdout, stderr) => {
			done({ code: child.exitCode ?? -1, output: stdout + stderr });
		});
	});
}

describe.each([
	{ host: "0.73.1", find: async () => ({ node: releasedHost().node, file: program }) },
	{ host: "1.6.0", find: forCurrentHost },
])("a sub-agent in a plain program, on pi $host", { timeout: 120_000 }, ({ find }) => {
	let node: string;
	let file: string;
	beforeAll(async () => {
		({ node, file } = await find());
	}, 120_000);

	test("answers the task", async () => {
		const prompt = 'What does git bisect do? @@[{"text":"It finds the commit that broke it."}]@@';
		const result = await run(node, [file, prompt], { MODEL_URL: server.url });
		expect(result).toEqual({
			code: 0,
			output: "It finds the commit that broke it.\n(completed; 110 tokens)\n",
		});
	});

	test("fails with the provider's words when the provider fails", async () => {
		const prompt =
			'Go. @@[{"error":{"status":400,"body":{"error":{"message":"no such model"}}}}]@@';
		const { code, output } = await run(node, [file, prompt, "m1"], { MODEL_URL: server.url });
		expect(code).toBe(1);
		expect(output).toContain("no such model");
	});

	test("says what to set when there is no model to ask", async () => {
		expect(await run(node, [file], {})).toEqual({
			code: 1,
			output: "Set ANTHROPIC_API_KEY or OPENAI_API_KEY, or MODEL_URL to the URL of a server.\n",
		});
	});
});
