import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { extensionNames } from "../src/child/extension-names.js";
import { applyFlags } from "../src/child/flag-values.js";
import { withoutOriginal } from "../src/child/own-instructions.js";
import { shareTools } from "../src/child/shared-tools.js";

const folders: string[] = [];
afterEach(() => Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true }))));

async function folder(): Promise<string> {
	const made = await mkdtemp(join(tmpdir(), "pi-subagents-"));
	folders.push(made);
	return made;
}

test("an extension has the name of its file, or of its folder, and of its package", async () => {
	const root = await folder();
	await mkdir(join(root, "gate", "dist"), { recursive: true });
	await writeFile(
		join(root, "gate", "package.json"),
		JSON.stringify({ name: "@acme/gate", pi: {} }),
	);
	const path = join(root, "gate", "dist", "index.js");
	expect(await extensionNames({ path })).toEqual([path, "gate", "@acme/gate"]);
	expect(await extensionNames({ path: join(root, "mine.ts") })).toEqual([
		join(root, "mine.ts"),
		"mine",
	]);
	expect(await extensionNames({ path: "/x/index.ts", source: "npm:@a/b@1.0.0" })).toEqual([
		"/x/index.ts",
		"x",
		"@a/b",
	]);
	expect(await extensionNames({ path: "builtin:mcp" })).toEqual(["builtin:mcp", "mcp"]);
});

test("flags of the command line reach the extensions that have them", () => {
	const flagValues = new Map<string, boolean | string>([["level", "low"]]);
	const flags = new Map<string, { type: "boolean" | "string" }>([
		["plan", { type: "boolean" }],
		["level", { type: "string" }],
		["other", { type: "string" }],
	]);
	applyFlags({ extensions: [{ flags }], runtime: { flagValues } }, [
		"pi",
		"--plan",
		"--level",
		"high",
		"--other=x",
		"--unknown",
	]);
	expect([...flagValues]).toEqual([
		["level", "high"],
		["plan", true],
		["other", "x"],
	]);
});

test("instructions that a worktree has a copy of are not read from the original, too (CONTEXT-10)", () => {
	const files = ["/AGENTS.md", "/repo/AGENTS.md", "/repo/w/1/AGENTS.md", "/repo/w/1/sub/AGENTS.md"];
	const kept = withoutOriginal(
		files.map((path) => ({ path, content: "" })),
		"/repo/w/1",
		"/repo",
	);
	expect(kept.map(({ path }) => path)).toEqual([
		"/AGENTS.md",
		"/repo/w/1/AGENTS.md",
		"/repo/w/1/sub/AGENTS.md",
	]);
});

test("a shared tool whose session is gone fails with a sentence that says so", async () => {
	const sourceInfo = { path: "builtin:mcp", source: "builtin", scope: "user", origin: "top-level" };
	const tool = { name: "look", label: "look", description: "d", parameters: { type: "object" } };
	let gone = false;
	const ctx = {
		get tools() {
			if (gone) throw new Error("stale");
			return [tool];
		},
		executeTool: () => {
			throw new Error("stale");
		},
	};
	const pi = { getAllTools: () => [{ ...tool, sourceInfo }] };
	const shared = shareTools(pi as never, ctx as never, ["mcp"]);
	const [definition] = (await shared?.definitions(() => true)) ?? [];
	gone = true;
	expect(await shared?.definitions(() => true)).toEqual([]);
	await expect(
		definition?.execute("id", {}, undefined, undefined, undefined as never),
	).rejects.toThrow("look belongs to the main session, which was reloaded or replaced");
	expect(shareTools(pi as never, {} as never, ["mcp"])).toBeUndefined();
});
