import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { HostLine, RpcTestHost, ScriptedToolCall } from "@pi-subagents/test-helpers";
import { expect, test } from "vitest";
import {
	type ChildWorld,
	delegate,
	onBothHosts,
	requestsOf,
	script,
	toolResults,
} from "./child-host.js";
import { agentId, ask, askOne, bash, requestOf } from "./tool-answers.js";

const ISOLATED = { isolation: "worktree" };

onBothHosts("worktrees", worktrees, {
	agentFiles: {
		loner: "---\nname: loner\ndescription: Works alone.\nisolation: worktree\n---\nWork.",
		local: "---\nname: local\ndescription: Works here.\nisolation: none\n---\nWork.",
	},
});

/** A host in a repository, and what is done there by hand. */
interface Checkout {
	readonly host: RpcTestHost;
	readonly path: string;
	/** Where worktrees are. */
	readonly worktrees: string;
	sh(command: string, cwd?: string): Promise<string>;
}

function worktrees(world: ChildWorld): void {
	test("the call, the agent file and the settings say who gets a worktree; nothing is left of those without changes (WORKTREE-05)", async () => {
		const { host, path, worktrees, sh } = await checkout(world, {
			isolation: "worktree",
			agents: { loner: { isolation: "none" } },
		});
		const where = (name: string, args: object = {}) =>
			delegate(`${name} ${script({ tools: [bash("pwd")] }, { text: "seen" })}`, { ...args });
		const place = (name: string) => toolResults(requestsOf(world.server, name).at(-1))[0]?.trim();
		await ask(
			host,
			where("IN-SETTING"),
			where("NOT-IN-FILE", { subagent_type: "local" }),
			where("NOT-IN-OVERRIDE", { subagent_type: "loner" }),
		);
		expect(place("IN-SETTING")).toContain(`${worktrees}/`);
		expect(place("NOT-IN-FILE")).toBe(path);
		expect(place("NOT-IN-OVERRIDE")).toBe(path);

		await checkout(world, {}, false);
		const said = await ask(
			host,
			where("IN-CALL", { subagent_type: "local", isolation: "worktree" }),
			// A model that fills in every field must not take a worktree away that the file asks for.
			where("IN-FILE", { subagent_type: "loner", isolation: "none" }),
			where("NOWHERE"),
		);
		expect(place("IN-CALL")).toContain(`${worktrees}/`);
		expect(place("IN-FILE")).toContain(`${worktrees}/`);
		expect(place("NOWHERE")).toBe(path);
		const unchanged = "The agent changed no files; its worktree was removed.";
		expect(said.map(({ text }) => text.includes(unchanged))).toEqual([true, true, false]);
		expect(await sh("git worktree list | wc -l; git branch")).toBe("1\n* main");
	});

	test("work is on a branch, and the result says what it is and how to see and merge it; uncommitted work came along and stays (WORKTREE-04) (WORKTREE-07)", async () => {
		const { host, path, sh } = await checkout(world);
		await writeFile(join(path, "a.txt"), "one\nmine\n");
		await writeFile(join(path, "mine.txt"), "mine\n");
		const { text } = await askOne(
			host,
			delegate(
				`CHANGES ${script(
					{
						tools: [
							bash(
								"cat a.txt mine.txt; echo own > own.txt; git add own.txt; git -c user.name=A -c user.email=a commit -qm Own; mkdir build; echo x > build/out.bin",
							),
						],
					},
					{ tools: [write("new.txt", "new\n")] },
					{ tools: [edit("a.txt", "one", "1")] },
					{ text: "done" },
				)}`,
				ISOLATED,
			),
		);
		expect(toolResults(requestsOf(world.server, "CHANGES").at(-1))[0]?.trim()).toBe(
			"one\nmine\nmine",
		);
		const branch = /is on branch (\S+),/.exec(text)?.[1] ?? "?";
		expect(text).toContain(
			`The work is on branch ${branch}, from the working state of main at ${await sh("git rev-parse --short=10 HEAD")}: 2 commits, 3 files changed, 3 insertions, 1 deletion.`,
		);
		expect(text).toContain("Files: a.txt, new.txt, own.txt.");
		expect(text).toContain("Deleted with it, because git ignores them: build/out.bin.");
		expect(JSON.stringify(requestsOf(world.server, "CHANGES")[0]?.messages)).toContain(
			"2 uncommitted files carried over",
		);
		expect(await sh("git status --porcelain; git worktree list | wc -l")).toBe(
			" M a.txt\n?? mine.txt\n1",
		);
		const [see = "", merge = ""] = commands(text, "To see it, and to merge it:");
		expect(await sh(see)).toContain("+++ b/new.txt");
		await sh(merge);
		expect(await sh("cat a.txt mine.txt new.txt own.txt")).toBe("1\nmine\nmine\nnew\nown");
	});

	test("an agent works in the same sub-directory, and what its base lacks is said", async () => {
		const { host, path, sh } = await checkout(world, {
			worktreeBase: "HEAD",
			worktreeCopy: [".env"],
			worktreeLink: ["node_modules"],
		});
		await sh("git checkout -qb side; echo side > sub/side.txt; git add -A; git commit -qm Side");
		await writeFile(join(path, "a.txt"), "dirty\n");
		await writeFile(join(path, ".env"), "SECRET=1\n");
		await mkdir(join(path, "node_modules", "left-pad"), { recursive: true });
		const task = (name: string) =>
			delegate(
				`${name} ${script({ tools: [bash("basename $PWD; ls; cat ../a.txt ../.env; ls ../node_modules; echo x > made.txt")] }, { text: "seen" })}`,
				{ ...ISOLATED, cwd: "sub" },
			);
		const { text } = await askOne(host, task("SUB-HEAD"));
		const seen = (name: string) => toolResults(requestsOf(world.server, name).at(-1))[0]?.trim();
		expect(seen("SUB-HEAD")).toBe("sub\nb.txt\nside.txt\none\nSECRET=1\nleft-pad");
		expect(text).toContain(" from side at ");
		expect(text).toContain("1 uncommitted file of the checkout is not included.");
		expect(text).toContain("Files: sub/made.txt.");

		await checkout(world, { worktreeBase: "main" }, false);
		const main = await askOne(host, task("SUB-MAIN"));
		expect(seen("SUB-MAIN")).toMatch(/^sub\nb\.txt\none\n/);
		expect(main.text).toContain(" from main at ");

		await checkout(world, { worktreeBase: "nowhere" }, false);
		const none = await askOne(host, task("SUB-NOWHERE"));
		expect(none).toMatchObject({ isError: true });
		expect(none.text).toContain(`There is no branch nowhere in the repository at ${path}`);
		expect(requestsOf(world.server, "SUB-NOWHERE")).toEqual([]);
	});

	test("write and edit outside are refused, and what bash does to the checkout is reported (WORKTREE-06)", async () => {
		const { host, path, worktrees, sh } = await checkout(world);
		const { text } = await askOne(
			host,
			delegate(
				`OUTSIDE ${path}/a.txt ${script(
					{
						tools: [
							write(join(path, "a.txt"), "bad\n"),
							edit("../../../../../../project/a.txt", "one", "bad"),
							write(join(path, "..", "elsewhere.txt"), "bad\n"),
						],
					},
					{ tools: [bash(`echo bad > ${path}/sub/b.txt`)] },
					{ text: "done" },
				)}`,
				ISOLATED,
			),
		);
		const [request] = requestsOf(world.server, "OUTSIDE");
		const system = JSON.stringify(request?.messages.filter(({ role }) => role !== "user"));
		// The hosts write it differently.
		const directory = /(?:Current working directory: |<cwd>\\n)([^"\\]*)/g;
		expect([...system.matchAll(directory)].map(([, place]) => place)).toEqual([
			expect.stringContaining(`${worktrees}/`),
		]);
		const refused = toolResults(requestsOf(world.server, "OUTSIDE")[1]);
		expect(refused).toHaveLength(3);
		for (const reason of refused) expect(reason).toMatch(/outside|worktree/i);
		expect(text).toContain(
			`Files in the main checkout at ${path} changed during the run, by this agent or by someone else: sub/b.txt.`,
		);
		expect(await sh("git status --porcelain")).toBe(" M sub/b.txt");
		expect(existsSync(join(path, "..", "elsewhere.txt"))).toBe(false);
	});

	test("a hook that refuses, a signer that hangs and a missing identity cost no work (WORKTREE-01) (WORKTREE-02)", async () => {
		const { host, path, sh } = await checkout(world);
		await sh(
			"git config --unset user.name; git config --unset user.email; printf '#!/bin/sh\\nexit 1\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; git config commit.gpgsign true; git config gpg.program 'sleep 600'; git config core.editor 'sleep 600'",
		);
		const { text } = await askOne(
			host,
			delegate(
				`HOOKS ${script({ tools: [write("new.txt", "new\n")] }, { text: "done" })}`,
				ISOLATED,
			),
		);
		await sh(
			"rm .git/hooks/pre-commit; for name in commit.gpgsign gpg.program core.editor; do git config --unset $name; done; git config user.name User; git config user.email user@example.com",
		);
		const branch = /is on branch (\S+),/.exec(text)?.[1] ?? "?";
		expect(await sh(`git show ${branch}:new.txt`)).toBe("new");
		expect(text).toContain(`git -C ${path} merge ${branch}`);
	});

	test("a resumed agent gets its branch back, and never the main checkout (WORKTREE-09)", async () => {
		const { host, sh } = await checkout(world);
		const first = await askOne(
			host,
			delegate(`AGAIN ${script({ tools: [write("x.txt", "1\n")] }, { text: "first" })}`, ISOLATED),
		);
		const second = await askOne(host, {
			name: "subagent",
			args: {
				prompt: script({ tools: [bash("cat x.txt && echo 2 >> x.txt")] }, { text: "second" }),
				description: "go on",
				subagent_type: "general-purpose",
				resume: agentId(first.text),
			},
		});
		const branch = /is on branch (\S+),/.exec(first.text)?.[1] ?? "?";
		expect(second.text).toContain(`The work is on branch ${branch},`);
		expect(await sh(`git show ${branch}:x.txt; git status --porcelain; git branch`)).toBe(
			`1\n2\n* main\n  ${branch}`,
		);
	});

	test("where there can be no worktree the call is refused with the reason before the model is asked, and nothing runs (WORKTREE-08)", async () => {
		const { host, path, sh } = await checkout(world);
		await sh(
			"mkdir -p none && git init -q ../empty && git init -q --bare ../bare.git && mkdir -p ../plain && git checkout -q --detach",
		);
		const at = (cwd: string) =>
			delegate(`REFUSED ${script({ tools: [bash("echo bad > bad.txt")] })}`, { ...ISOLATED, cwd });
		const places = ["../plain", "../empty", "../bare.git", ".git"];
		const answers = await ask(host, ...places.map(at));
		const [plain, empty, bare] = places.map((place) => join(path, place));
		expect(answers.map(({ isError }) => isError)).toEqual([true, true, true, true]);
		expect(answers[0]?.text).toContain(
			`${plain} is not in a git repository; \`git init\` and a first commit make it one`,
		);
		expect(answers[1]?.text).toContain(
			`The git repository at ${empty} has no commit yet, so nothing can begin from it; make a first commit`,
		);
		expect(answers[2]?.text).toContain(
			`${bare} is in a bare repository, which has no checkout to work in`,
		);
		expect(answers[3]?.text).toContain("is inside git's own directory, not in a checkout");
		for (const { text } of answers) expect(text).toContain("It never started");
		expect(requestsOf(world.server, "REFUSED")).toEqual([]);

		const detached = await askOne(
			host,
			delegate(
				`DETACHED ${script({ tools: [write("new.txt", "new\n")] }, { text: "done" })}`,
				ISOLATED,
			),
		);
		expect(detached.text).toMatch(/The work is on branch \S+, from a detached HEAD at /);
	});

	test("two agents at work that change the same file are told to the parent and to the person", async () => {
		const { host } = await checkout(world);
		const from = host.events.length;
		const editing = (name: string) =>
			delegate(
				`${name} ${script({ tools: [write("a.txt", `${name}\n`), write(`${name}.txt`, "")] }, { hold: "both", text: "done" })}`,
				ISOLATED,
			);
		const asked = ask(host, editing("PAIR-A"), editing("PAIR-B"));
		await Promise.all([requestOf(world, "PAIR-A", 1), requestOf(world, "PAIR-B", 1)]);
		world.server.release("both");
		const names = (await asked).map(({ text }) => agentId(text));
		const agents = (await asked).map(
			({ text }) => text.match(/general-purpose-[\w-]+/)?.[0] ?? "?",
		);
		expect(names).toHaveLength(2);
		const sentence = `The agents ${agents.sort().join(" and ")} have both changed a.txt, each in its own worktree: merge one, then look at what is left to merge of the other.`;
		expect((await asked).some(({ text }) => text.includes(sentence))).toBe(true);
		expect(
			notices(host.events.slice(from)).filter((text) => text.includes("both changed")),
		).toEqual([sentence]);
	});

	test("a worktree that a kill left is told at the next start; /agents shows, saves, merges and removes it (WORKTREE-05)", async () => {
		const host = await world.rpc();
		const { sh, path } = await prepare(host);
		const task = `KILLED ${script({ tools: [write("new.txt", "new\n")] }, { hold: "never" })}`;
		const running = host.prompt(script({ tools: [delegate(task, ISOLATED)] }));
		running.catch(() => {});
		await requestOf(world, "KILLED", 1);
		await host.kill("SIGKILL");
		await sh("git worktree add -q ../own -b own");
		await host.restart();
		const told = await host.waitFor((event) =>
			notices([event]).some((text) => text.includes("did not end")),
		);
		const name = /general-purpose-[\w-]+/.exec(notices([told])[0] ?? "")?.[0] ?? "?";
		expect(notices([told])[0]).toContain(
			`1 worktree of agents that did not end: ${name}. See /agents, Worktrees.`,
		);

		const person = personAt(host);
		const open = async (action: string): Promise<void> => {
			for (const choice of [name, action]) await person.chooses(choice);
		};
		const closed = host.send({ type: "prompt", message: "/agents" });
		await person.chooses("Worktrees");
		await open("Show its changes");
		const editor = await person.sees("editor");
		expect(editor.prefill).toContain("+++ b/new.txt");
		host.respond(editor, { cancelled: true });
		await open("Save its work on its branch");
		expect((await person.sees("notify")).message).toContain("The work is on branch pi-subagents/");
		await open("Merge its work");
		const merging = await person.sees("confirm");
		expect(existsSync(join(path, "new.txt"))).toBe(false);
		host.respond(merging, { confirmed: true });
		await person.sees("notify");
		expect(await readFile(join(path, "new.txt"), "utf8")).toBe("new\n");
		await open("Remove it");
		await person.sees("notify");
		expect((await person.sees("notify")).message).toContain("no worktrees");
		host.respond(await person.sees("select"), { cancelled: true });
		await closed;
		expect(await sh("git branch --list; git worktree list | wc -l")).toBe("* main\n+ own\n2");
	});

	/** The shared host with these settings, in a repository as it was at first, unless it is to stay as it is. */
	async function checkout(
		{ session }: Pick<ChildWorld, "session">,
		settings: object = {},
		fresh = true,
	): Promise<Checkout> {
		const host = await session({ ...settings });
		return prepare(host, fresh);
	}
}

async function prepare(host: RpcTestHost, fresh = true): Promise<Checkout> {
	const { project: path, home } = host.directories;
	const env = { PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: "1" };
	const sh = async (command: string, cwd = path): Promise<string> =>
		(await promisify(execFile)("sh", ["-c", command], { cwd, env })).stdout.trimEnd();
	if (!existsSync(join(path, ".git"))) {
		await writeFile(join(path, "a.txt"), "one\n");
		await mkdir(join(path, "sub"));
		await writeFile(join(path, "sub", "b.txt"), "two\n");
		await writeFile(join(path, ".gitignore"), ".env\nnode_modules\nbuild/\n");
		await sh(
			"git init -q -b main && git config user.name User && git config user.email user@example.com && git add -A && git commit -qm First && git tag first",
		);
	} else if (fresh) {
		await sh(
			"git checkout -qf main && git reset -q --hard first && git clean -qfdx && git branch --format='%(refname:short)' | grep -v '^main$' | xargs -r git branch -qD",
		);
	}
	return { host, path, worktrees: join(home, ".local/state/pi-subagents/worktrees"), sh };
}

function write(path: string, content: string): ScriptedToolCall {
	return { name: "write", args: { path, content } };
}

function edit(path: string, oldText: string, newText: string): ScriptedToolCall {
	return { name: "edit", args: { path, edits: [{ oldText, newText }] } };
}

/** The commands of a result below a line. */
function commands(text: string, below: string): readonly string[] {
	const lines = text.slice(text.indexOf(below)).split("\n").slice(1);
	return lines.filter((line) => line.startsWith("    ")).map((line) => line.trim());
}

/** What the person was told. */
function notices(events: readonly HostLine[]): readonly string[] {
	return events.flatMap((event) =>
		event.type === "extension_ui_request" && event.method === "notify"
			? [String(event.message)]
			: [],
	);
}

/** The person at a client of the host, who answers dialogs one after the other. */
function personAt(host: RpcTestHost): {
	sees(method: string): Promise<HostLine>;
	chooses(text: string): Promise<void>;
} {
	let from = host.events.length;
	const sees = async (method: string): Promise<HostLine> => {
		const asked = await host.waitFor(
			(event) => event.type === "extension_ui_request" && event.method === method,
			from,
		);
		from = host.events.indexOf(asked) + 1;
		return asked;
	};
	return {
		sees,
		async chooses(text) {
			const asked = await sees("select");
			const options = Array.isArray(asked.options) ? asked.options.map(String) : [];
			const value = options.find((option) => option.includes(text));
			if (value === undefined) throw new Error(`No ${text} in ${options.join(" | ")}`);
			host.respond(asked, { value });
		},
	};
}
