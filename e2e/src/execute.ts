import { execFile } from "node:child_process";

/**
 * Runs a command to its end and returns its standard output. Rejects with the command and all that it printed if it
 * cannot be started or its exit code is not 0.
 */
export function execute(command: string, args: readonly string[], cwd: string): Promise<string> {
	const options = { cwd, env: { ...process.env, CI: "true" }, maxBuffer: 64 * 1024 * 1024 };
	return new Promise((resolve, reject) => {
		execFile(command, args, options, (error, stdout, stderr) => {
			if (!error) return resolve(stdout);
			const why =
				error.code === "ENOENT"
					? `${command} is not on the PATH; start this through pnpm, for example with \`npx -y pnpm@12.21.0 test\`.`
					: stdout + stderr;
			const call = [command, ...args].join(" ");
			reject(new Error(`\`${call}\` in ${cwd} failed: ${why}`, { cause: error }));
		});
	});
}
