import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { createHelper } from "../src/helper-process.js";
import { HELPER_SOURCE } from "../src/helper-source.js";
import type { CommandEnd, EndCommand, StartCommand } from "../src/started-command.js";
import { shell, temporaryDirectory } from "./support/repository.js";

/** A started command, and how it ends. */
interface Started {
	readonly end: EndCommand;
	readonly ended: Promise<CommandEnd & { readonly output: string }>;
}

function start(
	by: StartCommand,
	command: string,
	cwd: string,
	more: { readonly input?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Started {
	let end: EndCommand = () => {};
	const ended = new Promise<CommandEnd & { readonly output: string }>((resolve) => {
		let output = "";
		end = by(
			{
				command: "sh",
				args: ["-c", command],
				cwd,
				env: more.env ?? process.env,
				input: more.input,
			},
			{
				onOutput: (stream, chunk) => {
					output += `${stream}: ${chunk}`;
				},
				onEnd: (how) => resolve({ ...how, output }),
			},
		);
	});
	return { end, ended };
}

/** A helper of which it is known which processes it had. */
function watchedHelper(node?: string) {
	const pids: (number | undefined)[] = [];
	const helper = createHelper({
		onStarted: (pid) => pids.push(pid),
		...(node !== undefined && { node }),
	});
	return { helper, pids };
}

/** Resolves when a process has ended, whether or not its parent has taken notice. */
async function gone(pid: string, cwd: string): Promise<void> {
	const running = `ps -o stat= -p ${pid} | grep -q '^ *[^Z ]'`;
	await shell(`while ${running}; do sleep 0.01; done`, cwd, process.env);
}

const PARENT = "cut -d ' ' -f 4 /proc/$$/stat";

test("commands are started by one process that is not this one", async () => {
	const cwd = await temporaryDirectory();
	const { helper, pids } = watchedHelper();
	const ends = await Promise.all(
		[start(helper, PARENT, cwd), start(helper, PARENT, cwd)].map(({ ended }) => ended),
	);
	expect(pids).toHaveLength(1);
	expect(ends.map(({ output }) => output)).toEqual([
		`stdout: ${pids[0]}\n`,
		`stdout: ${pids[0]}\n`,
	]);
	const { output, code } = await start(helper, "pwd; cat; echo $WORD >&2; exit 3", cwd, {
		input: "grüße\n",
		env: { ...process.env, WORD: "a  b" },
	}).ended;
	expect({ code, output: output.replaceAll("stdout: ", "") }).toEqual({
		code: 3,
		output: `${cwd}\ngrüße\nstderr: a b\n`,
	});
	expect((await start(helper, "kill -TERM $$", cwd).ended).signal).toBe("SIGTERM");
	expect((await start(helper, "exit", join(cwd, "none")).ended).error?.code).toBe("ENOENT");
});

test("a command is ended with all that it has started", async () => {
	const cwd = await temporaryDirectory();
	const { end, ended } = start(createHelper(), "sleep 600 & echo $! > pid; wait", cwd);
	await shell("until test -s pid; do sleep 0.01; done", cwd, process.env);
	end("SIGTERM");
	expect((await ended).signal).toBe("SIGTERM");
	await gone("$(cat pid)", cwd);
});

test("when it dies, nothing that it has started goes on, and the next command gets another one", async () => {
	const cwd = await temporaryDirectory();
	const { helper, pids } = watchedHelper();
	const { ended } = start(helper, "echo $$ > pid; sleep 600", cwd);
	await shell("until test -s pid; do sleep 0.01; done", cwd, process.env);
	process.kill(pids[0] ?? 0, "SIGKILL");
	expect((await ended).error?.message).toBe("the process that had started it has ended");
	await gone("$(cat pid)", cwd);
	expect((await start(helper, PARENT, cwd).ended).output).toBe(`stdout: ${pids[1]}\n`);
});

test.each([
	["does not exist", "no-such-node"],
	["is another program", "false"],
])("when the program for it %s, commands are started all the same", async (_, node) => {
	const cwd = await temporaryDirectory();
	const { helper } = watchedHelper(node);
	expect((await start(helper, PARENT, cwd).ended).output).toBe(`stdout: ${process.pid}\n`);
});

test("when its parent has ended, what runs comes to its end, and then it ends", async () => {
	const cwd = await temporaryDirectory();
	const parent = `
		const helper = require("node:child_process").spawn(process.execPath, ["--eval", process.argv[1]], {
			stdio: ["ignore", "ignore", "ignore", "ipc"],
			serialization: "advanced",
			detached: true,
		});
		const options = { cwd: process.cwd(), env: process.env };
		helper.on("message", ([kind]) => {
			const command = "while kill -0 " + process.pid + "; do sleep 0.01; done 2>/dev/null; echo late > late";
			if (kind === "ready") helper.send(["start", 1, "sh", ["-c", command], options]);
			if (kind === "started") process.stdout.write(String(helper.pid), () => process.exit());
		});`;
	const pid = await run(process.execPath, ["--eval", parent, HELPER_SOURCE], cwd);
	await gone(pid, cwd);
	expect(await shell("cat late", cwd, process.env)).toBe("late");
});

async function run(command: string, args: readonly string[], cwd: string): Promise<string> {
	return (await promisify(execFile)(command, args, { cwd })).stdout;
}
