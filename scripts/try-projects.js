// What other people do with our packages, from their tarballs: a newcomer with one `npm i` and one file, and a project that
// tests its own extension of pi with our test helpers under three test runners.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { execute, refuse } from "./execute.js";

const root = resolve(import.meta.dirname, "..");
const examples = join(root, "examples");
/** As many lines as the first sub-agent may take. */
const MOST_LINES = 25;
/** A registry may be slow. */
const PATIENCE = { timeout: 300_000 };

/** `folder` is where to work; `tarballs` are paths by package name. Rejects with what is wrong. */
export async function tryProjects(folder, tarballs) {
	const { startModelServer } = await import(join(root, "packages/test-helpers/dist/index.js"));
	const server = await startModelServer();
	try {
		await firstSubagent(join(folder, "newcomer"), tarballs, server.url);
	} finally {
		await server.close();
	}
	await otherProject(join(folder, "other-project"), tarballs);
}

async function firstSubagent(folder, tarballs, url) {
	const text = readFileSync(join(examples, "src/first-subagent.ts"), "utf8");
	const lines = text.trimEnd().split("\n").length;
	const problem = `the first sub-agent takes ${lines} lines and not ${MOST_LINES} at most`;
	refuse("first-subagent.ts", lines > MOST_LINES ? [problem] : []);

	const [, packages = ""] = /^\/\/ npm i (.+)$/m.exec(text) ?? [];
	mkdirSync(folder);
	writeFileSync(join(folder, "first-subagent.mjs"), text);
	writeFileSync(join(folder, "package.json"), "{}");
	const local = ["core", "observers"].map((name) => tarballs[`@pi-subagents/${name}`]);
	const named = packages.split(" ").map((each) => tarballs[each] ?? each);
	const quiet = ["--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund"];
	await execute("npm", ["install", ...quiet, ...named, ...local], folder, PATIENCE);
	const prompt = 'Why? @@[{"text":"Because."}]@@';
	const env = { ...process.env, MODEL_URL: url, OPENAI_API_KEY: "none" };
	const said = await execute("node", ["first-subagent.mjs", prompt], folder, { env });
	refuse("first-subagent.ts", said.startsWith("Because. ($0.00") ? [] : [`it said ${said}`]);
}

async function otherProject(folder, tarballs) {
	cpSync(join(examples, "test-an-extension"), folder, { recursive: true });
	const overrides = Object.entries(tarballs).map(([name, file]) => [name, `file:${file}`]);
	const settings = { packages: ["."], overrides: Object.fromEntries(overrides) };
	const lax = { strictDepBuilds: false, autoInstallPeers: false };
	writeFileSync(join(folder, "pnpm-workspace.yaml"), JSON.stringify({ ...settings, ...lax }));
	await execute("pnpm", ["install", "--prefer-offline"], folder, PATIENCE);
	const env = { ...process.env, NODE_OPTIONS: "", NO_COLOR: "1" };
	for (const runner of ["vitest", "node", "jest"]) {
		await execute("npm", ["run", "--silent", `test:${runner}`], folder, { env, ...PATIENCE });
	}
}
