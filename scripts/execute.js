import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** What the command printed, also as errors; a minute is enough for each unless `options` of `execFile` say otherwise. */
export async function execute(command, args, cwd, options = {}) {
	try {
		const { stdout, stderr } = await promisify(execFile)(command, args, {
			cwd,
			timeout: 60_000,
			maxBuffer: 64 * 1024 * 1024,
			...options,
		});
		return stdout + stderr;
	} catch (error) {
		const printed = error.stdout + error.stderr || error.message;
		const why = error.killed ? "it did not end by itself" : printed;
		throw new Error(`\`${[command, ...args].join(" ")}\` failed: ${why}`, { cause: error });
	}
}

/** Throws what is wrong with a package, if anything is. */
export function refuse(name, problems) {
	if (problems.length > 0) throw new Error(`${name}: ${problems.join("; ")}`);
}
