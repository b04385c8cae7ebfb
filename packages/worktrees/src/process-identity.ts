import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";

/** A process, so that another one that later gets the same id is not taken for it. */
export interface ProcessOwner {
	readonly pid: number;
	/** What {@link ReadProcess} said about it. */
	readonly started: string;
}

/** When the process with this id was started, in any form that is the same each time; `undefined` if there is none. */
export type ReadProcess = (pid: number) => Promise<string | undefined>;

/** Whether the process that owned something still runs. */
export async function isAlive(owner: ProcessOwner, read: ReadProcess): Promise<boolean> {
	return (await read(owner.pid)) === owner.started;
}

/** Asks the system: `/proc` on Linux, `ps` elsewhere. Where neither answers, only that the process exists counts. */
export async function readProcess(pid: number): Promise<string | undefined> {
	if (process.platform === "linux") {
		const started = await readProc(pid);
		if (started !== undefined) return started;
	} else if (process.platform !== "win32") {
		const started = await readPs(pid);
		if (started !== "") return started;
	}
	return exists(pid) ? "running" : undefined;
}

/** The start time is in clock ticks since boot, so the boot belongs to it. */
async function readProc(pid: number): Promise<string | undefined> {
	try {
		const [stat, boot] = await Promise.all([
			readFile(`/proc/${pid}/stat`, "utf8"),
			readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => ""),
		]);
		// The second field is the program's name in parentheses and may hold anything; the start time is field 22.
		const startTime = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
		return `${boot.trim()}:${startTime}`;
	} catch {
		return undefined;
	}
}

/** Empty if `ps` is not there. */
function readPs(pid: number): Promise<string | undefined> {
	return new Promise((resolve) => {
		const options = { timeout: 5000, env: { ...process.env, LC_ALL: "C", TZ: "UTC" } };
		execFile("ps", ["-o", "lstart=", "-p", String(pid)], options, (error, stdout) => {
			if (!error) resolve(stdout.trim() || undefined);
			// `ps` ends with 1 if there is no such process.
			else resolve(error.code === 1 ? undefined : "");
		});
	});
}

function exists(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return error instanceof Error && "code" in error && error.code === "EPERM";
	}
}
