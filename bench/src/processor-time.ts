import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

/** Linux counts in ticks of 10 milliseconds on every architecture that Node runs on. */
const TICK_MS = 10;

/** The CPU time that a process has used so far, in milliseconds. Linux tells it to 10, others to 1000 milliseconds. */
export async function processorTime(pid: number): Promise<number> {
	if (process.platform === "linux") {
		const line = await readFile(`/proc/${pid}/stat`, "utf8");
		// The name of the program, in brackets, may have spaces; user and system time are the 14th and 15th field.
		const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
		return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
	}
	const { stdout } = await promisify(execFile)("ps", ["-o", "time=", "-p", String(pid)]);
	const parts = stdout.trim().split(":").map(Number);
	return parts.reduce((seconds, part) => seconds * 60 + part, 0) * 1000;
}
