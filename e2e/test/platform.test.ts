import { mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
	type ChildWorld,
	delegate,
	onBothHosts,
	requestsOf,
	script,
	toolResults,
} from "./child-host.js";
import { ask, askOne, bash } from "./tool-answers.js";

const BODY = "b".repeat(150_000);

onBothHosts("whatever the platform", platform, {
	agentFiles: {
		long: `---\nname: long\ndescription: Has a long prompt.\nprompt_mode: replace\n---\n${BODY}`,
	},
});

function platform(world: ChildWorld): void {
	test("a task of 300 KB and an agent file of 150 KB reach the model whole (PLATFORM-01)", async () => {
		const host = await world.session();
		const task = `LONG ${"t".repeat(300_000)}`;
		const { isError } = await askOne(host, delegate(task, { subagent_type: "long" }));
		expect(isError).toBe(false);
		const [request] = requestsOf(world.server, "LONG");
		expect(request?.lastUserText).toBe(task);
		expect(JSON.stringify(request?.messages[0])).toContain(BODY);
	});

	test("nothing in a task is interpreted (PLATFORM-02)", async () => {
		const host = await world.session();
		const tasks = [
			"META \"quotes\" 'single' & | ; < > * ? %PATH% $HOME $(touch interpreted) `touch interpreted`\nnext \\ line",
			"--version",
			"-p META",
			"@interpreted.txt META",
		];
		const answers = await ask(host, ...tasks.map((task) => delegate(task)));
		expect(answers.map(({ isError }) => isError)).toEqual(tasks.map(() => false));
		for (const task of tasks) {
			expect(requestsOf(world.server, task).map(({ lastUserText }) => lastUserText)).toEqual([
				task,
			]);
		}
		// Half of a surrogate pair is no character; what follows and precedes it stays.
		await askOne(host, delegate("HALF \ud83d of a pair"));
		expect(requestsOf(world.server, "HALF")[0]?.lastUserText).toMatch(/^HALF .* of a pair$/);
		expect(await readdir(host.directories.project)).not.toContain("interpreted");
	});

	test("cwd is absolute, below the home for ~, or relative to that of the parent, and the settings are those found there (PLATFORM-03)", async () => {
		const host = await world.session();
		const { project, home, root } = host.directories;
		const places = {
			sub: join(project, "sub"),
			"./sub": join(project, "sub"),
			"../beside": join(root, "beside"),
			"~": home,
			[join(root, "beside")]: join(root, "beside"),
			"mit Leerzeichen/Grüße": join(project, "mit Leerzeichen/Grüße"),
			"C:\\a b": join(project, "C:\\a b"),
		};
		for (const place of Object.values(places)) await mkdir(place, { recursive: true });
		await writeFile(join(project, "file"), "");
		const settings = join(root, "beside", ".pi", "settings.json");
		await mkdir(join(root, "beside", ".pi"));
		await writeFile(settings, JSON.stringify({ shellCommandPrefix: "echo beside:;" }));
		const names = Object.keys(places);
		await ask(
			host,
			...names.map((cwd, index) =>
				delegate(`PLACE${index}. ${script({ tools: [bash("pwd")] }, { text: "seen" })}`, { cwd }),
			),
		);
		const seen = names.map((_, index) =>
			toolResults(requestsOf(world.server, `PLACE${index}.`).at(-1))[0]?.trim(),
		);
		expect(seen).toEqual(
			Object.values(places).map((place) =>
				place === join(root, "beside") ? `beside:\n${place}` : place,
			),
		);
		const bad = await ask(
			host,
			delegate("NOWHERE", { cwd: "missing" }),
			delegate("NOWHERE", { cwd: "file" }),
		);
		expect(bad.map(({ isError, text }) => ({ isError, text }))).toEqual([
			{
				isError: true,
				text: `cwd is "missing", but ${join(project, "missing")} does not exist.`,
			},
			{ isError: true, text: `cwd is "file", but ${join(project, "file")} is no directory.` },
		]);
		expect(requestsOf(world.server, "NOWHERE")).toEqual([]);
	});

	test("all that is kept is below the agent directory that the variable names (PLATFORM-04)", async () => {
		const host = await world.session();
		const { agentDir, home } = host.directories;
		await askOne(host, delegate("KEPT", { subagent_type: "long" }));
		const sessions = await readdir(join(agentDir, "sessions"), { recursive: true });
		const kept = sessions.filter((name) => /tasks\/.*\.jsonl$/.test(name));
		const texts = await Promise.all(
			kept.map((name) => readFile(join(agentDir, "sessions", name), "utf8")),
		);
		expect(texts.some((text) => text.includes("KEPT"))).toBe(true);
		await expect(stat(join(home, ".pi"))).rejects.toThrow("ENOENT");
	});

	test("long and odd ids of calls, a deep place and a linked temporary directory with spaces do no harm (PLATFORM-05)", async () => {
		const folder = join(await shared(world), "a linked folder");
		const host = await world.rpc({
			env: { TMPDIR: folder },
			args: ["--session-dir", join(folder, ...Array.from({ length: 20 }, () => "deep-level"))],
		});
		const id = "call|/:".padEnd(400, "x");
		const calls = ["one", "two"].map((name) => ({
			...delegate(`IDS ${name}`),
			id: `${id}${name}`,
		}));
		const answers = await ask(host, ...calls);
		expect(answers.map(({ isError, text }) => [isError, text.endsWith("OK.")])).toEqual([
			[false, true],
			[false, true],
		]);
		const files = await readdir(folder, { recursive: true });
		const tasks = files.filter((name) => name.includes("/tasks/") && name.endsWith(".jsonl"));
		expect(tasks).toHaveLength(2);
	});
}

/** A directory with a link in its path. */
async function shared(world: ChildWorld): Promise<string> {
	const { directories } = await world.session();
	const real = join(directories.root, "real folder");
	await mkdir(join(real, "a linked folder"), { recursive: true });
	const link = join(directories.root, "link");
	await symlink(real, link);
	return link;
}
