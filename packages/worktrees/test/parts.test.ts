import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { explain } from "../src/explain.js";
import { createGit } from "../src/index.js";
import { createLimiter } from "../src/limiter.js";
import { listSome, shellWord, worktreeName } from "../src/names.js";
import { parseStatus } from "../src/status.js";
import { createTurnstile } from "../src/turnstile.js";
import { shell, temporaryDirectory } from "./support/repository.js";

describe("a name", () => {
	test("says the type and the id", () => {
		expect(worktreeName("general-purpose", "a1")).toBe("general-purpose-a1");
		expect(worktreeName("Explore", "5f3c9a")).toBe("explore-5f3c9a");
		expect(worktreeName("Prüfer", "call|1")).toMatch(/^pru-fer-call-1-[0-9a-f]{10}$/);
		expect(worktreeName("日本", "日本")).toMatch(/^agent-[0-9a-f]{10}$/);
	});

	test("is short and safe for any id, and different for different ids", () => {
		const text = fc.string({ unit: "binary", maxLength: 300 });
		fc.assert(
			fc.property(text, text, text, (type, id, other) => {
				const name = worktreeName(type, id);
				expect(name).toMatch(/^[a-z0-9][a-z0-9-]{0,90}$/);
				if (id !== other) expect(worktreeName(type, other)).not.toBe(name);
			}),
		);
	});
});

test("a shell word reaches a command as it is", async () => {
	const cwd = await temporaryDirectory();
	const texts = ["plain/path.txt", "a b", "it's", '$(touch x) `id` "\\', "-n", "", "ü\n日本", "*"];
	const printed = await shell(`printf '%s\\0' ${texts.map(shellWord).join(" ")}`, cwd, process.env);
	expect(printed.split("\0").slice(0, -1)).toEqual(texts);
});

test("a long list is cut, and says by how much", () => {
	expect(listSome(["a", "b"], 2)).toBe("a, b");
	expect(listSome(["a", "b", "c"], 2)).toBe("a, b and 1 other");
});

test("a limiter runs so much at a time per key, in order, and goes on after a failure", async () => {
	const limiter = createLimiter(2);
	const log: string[] = [];
	const gates = new Map<string, () => void>();
	const work = (key: string, name: string, fails = false): Promise<void> =>
		limiter(key, async () => {
			log.push(name);
			await new Promise<void>((resolve) => gates.set(name, resolve));
			if (fails) throw new Error(name);
		});
	const all = [
		work("k", "1", true),
		work("k", "2"),
		work("k", "3"),
		work("k", "4"),
		work("o", "5"),
	];
	expect(log).toEqual(["1", "2", "5"]);
	gates.get("1")?.();
	await expect(all[0]).rejects.toThrow("1");
	expect(log).toEqual(["1", "2", "5", "3"]);
	for (const name of ["2", "3", "5"]) gates.get(name)?.();
	await all[2];
	await all[4];
	gates.get("4")?.();
	await Promise.allSettled(all);
	expect(log).toEqual(["1", "2", "5", "3", "4"]);
});

test("a turnstile lets one in per turn of the event loop, and so many at a time", async () => {
	const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
	const turnstile = createTurnstile(2);
	const log: string[] = [];
	const leave = new Map<string, () => void>();
	const enter = (name: string): (() => void) =>
		turnstile.enter((done) => {
			log.push(name);
			leave.set(name, done);
		});
	enter("1");
	enter("2");
	const takeOut = enter("3");
	enter("4");
	expect(log).toEqual([]);
	await turn();
	expect(log).toEqual(["1"]);
	await turn();
	await turn();
	expect(log).toEqual(["1", "2"]);
	takeOut();
	leave.get("1")?.();
	leave.get("1")?.();
	await turn();
	await turn();
	expect(log).toEqual(["1", "2", "4"]);
});

test("a status is read with all its kinds of lines", () => {
	const lines = [
		"# branch.oid 1234",
		"# branch.head (detached)",
		"1 .M N... 100644 100644 100644 aa bb with blank.txt",
		"1 .M S..U 160000 160000 160000 aa bb lib",
		"1 .M SC.. 160000 160000 160000 aa bb lib2",
		"u UU N... 100644 100644 100644 100644 aa bb cc conflict.txt",
		"? new\nline.txt",
		"? inside/",
		"! ignored/",
		"",
	];
	expect(parseStatus(lines.join("\0"))).toEqual({
		head: "1234",
		modified: ["with blank.txt", "lib", "lib2", "conflict.txt"],
		untracked: ["new\nline.txt"],
		ignored: ["ignored/"],
		embedded: ["inside/"],
		dirtySubmodules: ["lib"],
		conflicts: ["conflict.txt"],
	});
	expect(parseStatus("# branch.oid (initial)\0# branch.head (x)\0")).toMatchObject({
		branch: "(x)",
	});
});

test.each([
	["error: unable to write file a\nfatal: No space left on device", "the disk is full"],
	[
		"Preparing worktree\nerror: unable to write file src/a.ts\nfatal: Could not reset index file to revision 'HEAD'.",
		"git could not write src/a.ts; probably the disk is full",
	],
	["warning: x\nfatal: Needed a single revision.\n", "Needed a single revision"],
	["", "git ended with code 1"],
])("what git complains of is a clause: %j", (stderr, clause) => {
	expect(explain({ ok: false, code: 1, stdout: "", stderr })).toBe(clause);
});

describe("git", () => {
	test("does not see the repository that the environment points to", async () => {
		const cwd = await temporaryDirectory();
		const git = createGit({
			environment: { ...process.env, GIT_DIR: "/nowhere", GIT_INDEX_FILE: "/nowhere/index" },
		});
		expect((await git(["init", "-q"], { cwd })).ok).toBe(true);
		expect(await git(["rev-parse", "--git-dir"], { cwd })).toEqual({
			ok: true,
			code: 0,
			stdout: ".git\n",
			stderr: "",
		});
	});

	test("takes its input whole, and no argument through a shell", async () => {
		const cwd = await temporaryDirectory();
		const git = createGit();
		await git(["init", "-q"], { cwd });
		const input = "x".repeat(1_000_000);
		const { stdout } = await git(["hash-object", "--stdin"], { cwd, input });
		expect(stdout).toMatch(/^[0-9a-f]{40}\n$/);
		const { stderr } = await git(["rev-parse", "--verify", "$(touch x)"], { cwd });
		expect(stderr).toContain("fatal: Needed a single revision");
		expect(await shell("ls -A", cwd, process.env)).toBe(".git");
	});

	test("is ended by a signal, before and while it runs, with all its children", async () => {
		const cwd = await temporaryDirectory();
		const git = createGit();
		const stopped = { ok: false, stdout: "", stderr: "", failure: "it was stopped" };
		expect(await git(["version"], { cwd, signal: AbortSignal.abort() })).toEqual(stopped);
		const controller = new AbortController();
		const running = git(["-c", "alias.hang=!echo > started; sleep 600", "hang"], {
			cwd,
			signal: controller.signal,
		});
		await shell("until test -e started; do sleep 0.01; done", cwd, process.env);
		controller.abort();
		expect(await running).toMatchObject(stopped);
	});
});
