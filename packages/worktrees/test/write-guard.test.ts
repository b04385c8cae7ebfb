import { mkdir, symlink, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createWriteGuard } from "../src/index.js";
import { temporaryDirectory } from "./support/repository.js";

/** A worktree beside a checkout, both with some files. */
async function setUp() {
	const home = await temporaryDirectory();
	const checkout = join(home, "project");
	const root = join(home, "worktrees", "wörk tree");
	for (const directory of [checkout, root]) {
		await mkdir(join(directory, "src"), { recursive: true });
		await writeFile(join(directory, "src/a.ts"), "a\n");
		await writeFile(join(directory, ".git"), "gitdir: elsewhere\n");
	}
	return { home, checkout, root, guard: createWriteGuard(root, [checkout], { home }) };
}

describe("a write is allowed", () => {
	test.each([
		["to a file", "src/a.ts", "src/a.ts"],
		["to a new file in a new directory", "new/deep/b.ts", "new/deep/b.ts"],
		["through . and ..", "./src/../src/a.ts", "src/a.ts"],
		["with a leading @", "@src/a.ts", "src/a.ts"],
		["with letters of any language", "日本/ü.ts", "日本/ü.ts"],
		["with odd spaces, which mean a plain one", "a\u202fb.ts", "a b.ts"],
		["to a file that only looks like git's", ".gitignore", ".gitignore"],
		["with the letters of another system's paths", "C:\\a b", "C:\\a b"],
	])("%s", async (_, path, file) => {
		const { root, guard } = await setUp();
		expect(await guard.check(path)).toEqual({ allowed: true, path: join(root, file) });
		expect(await guard.check(join(root, path.replace(/^@/, "")))).toEqual({
			allowed: true,
			path: join(root, file),
		});
	});

	test("relative to the directory that the tool works in, and as a URL", async () => {
		const { root, guard } = await setUp();
		expect(await guard.check("a.ts", join(root, "src"))).toEqual({
			allowed: true,
			path: join(root, "src/a.ts"),
		});
		expect(await guard.check(pathToFileURL(join(root, "b.ts")).href)).toEqual({
			allowed: true,
			path: join(root, "b.ts"),
		});
	});

	test("through links that stay inside, and to a worktree that is reached through one", async () => {
		const { home, root } = await setUp();
		await symlink("src", join(root, "link"));
		await symlink(join(home, "worktrees"), join(home, "short"));
		const guard = createWriteGuard(join(home, "short", "wörk tree"), []);
		expect(await guard.check("link/new.ts")).toEqual({
			allowed: true,
			path: join(root, "src/new.ts"),
		});
	});
});

describe("a write is refused", () => {
	test("into the main checkout, and the reason names the file in the worktree", async () => {
		const { checkout, root, guard } = await setUp();
		const path = join(checkout, "src/a.ts");
		expect(await guard.check(path)).toEqual({
			allowed: false,
			reason: `${path} is in the main checkout, which this agent must not change. Write to ${root}/src/a.ts instead.`,
		});
		expect(await guard.check("../../project/new.ts")).toMatchObject({ allowed: false });
	});

	test("anywhere else outside", async () => {
		const { root, guard } = await setUp();
		expect(await guard.check("/etc/hosts")).toEqual({
			allowed: false,
			reason: `/etc/hosts is outside this agent's worktree; it may write below ${root} only.`,
		});
		expect(await guard.check(`${root}-other/a.ts`)).toMatchObject({ allowed: false });
		expect(await guard.check(`${root}\\..\\..\\project`)).toMatchObject({ allowed: false });
		expect(await guard.check("")).toEqual({ allowed: false, reason: "The path is empty." });
	});

	test("into the home directory, with the home of this user if none is given", async () => {
		const { home, root, guard } = await setUp();
		expect(await guard.check("~/notes.md")).toEqual({
			allowed: false,
			reason: `~/notes.md (${home}/notes.md) is outside this agent's worktree; it may write below ${root} only.`,
		});
		expect(await guard.check("~")).toMatchObject({ allowed: false });
		expect(await createWriteGuard(homedir(), []).check("~/x")).toMatchObject({ allowed: true });
	});

	test("through a link that leads out, there or not, and through a circle of links", async () => {
		const { checkout, root, guard } = await setUp();
		await mkdir(join(root, "node_modules"));
		await symlink(join(checkout, "src"), join(root, "node_modules", "left"));
		await symlink(join(checkout, "not-yet.ts"), join(root, "dangling.ts"));
		await symlink("circle", join(root, "circle"));
		expect(await guard.check("node_modules/left/a.ts")).toEqual({
			allowed: false,
			reason: `node_modules/left/a.ts is ${checkout}/src/a.ts, in the main checkout, which this agent must not change.`,
		});
		expect(await guard.check("dangling.ts")).toMatchObject({ allowed: false });
		expect(await guard.check("circle/a.ts")).toMatchObject({ allowed: false });
	});

	test("if the path can also be read as one outside", async () => {
		const { checkout, guard } = await setUp();
		expect(await guard.check(`@${checkout}/src/a.ts`)).toMatchObject({ allowed: false });
		expect(await guard.check("@~/x")).toMatchObject({ allowed: false });
	});

	test("to git's own data", async () => {
		const { root, guard } = await setUp();
		const refusal = {
			allowed: false,
			reason: ".git belongs to git; change it with git commands only.",
		};
		expect(await guard.check(".git")).toEqual(refusal);
		expect(await guard.check("src/../.GIT/config")).toMatchObject({ allowed: false });
		expect(await guard.check(join(root, ".git/hooks/pre-commit"))).toMatchObject({
			allowed: false,
		});
	});
});

test("whatever the path is, what is allowed is inside and is not git's", async () => {
	const { home, checkout, root, guard } = await setUp();
	await symlink(checkout, join(root, "out"));
	await symlink("..", join(root, "src", "up"));
	const part = fc.constantFrom(
		"..",
		".",
		"",
		"src",
		"up",
		"out",
		".git",
		"a.ts",
		"~",
		"@",
		"ü",
		"C:\\",
		"file://",
		root,
		checkout,
		home,
	);
	await fc.assert(
		fc.asyncProperty(fc.array(part, { maxLength: 6 }), fc.boolean(), async (parts, absolute) => {
			const decision = await guard.check(`${absolute ? `${root}/` : ""}${parts.join("/")}`);
			if (!decision.allowed) return decision.reason.endsWith(".");
			return (
				`${decision.path}/`.startsWith(`${root}/`) && !decision.path.startsWith(`${root}/.git`)
			);
		}),
		{ numRuns: 300 },
	);
});
