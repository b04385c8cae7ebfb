import { execFile } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { compare } from "../compare.js";
import { projectFolder } from "../paths.js";
import type { Result, Row } from "../result.js";

/** Packages that programs import at their start. */
const PACKAGES = ["core", "observers", "definitions"];

/** What an import takes, against what Node itself takes to start. */
export const measureImport: Row = async () => {
	const results: Result[] = [];
	for (const name of PACKAGES) results.push(await measure(name));
	return results;
};

async function measure(name: string): Promise<Result> {
	const file = join(projectFolder, "packages", name, "dist", "index.js");
	const { cpu } = await compare({
		baseline: async () => ({ cpu: (await start(file)).start }),
		ours: async () => ({ cpu: (await start(file)).imported }),
	});
	return {
		what: `import of ${name}, against the start of Node`,
		unit: "CPU ms",
		...cpu,
		limit: { of: "ours", most: 30 },
	};
}

/** CPU time in milliseconds of a process that imports the file: before the import, and for it. */
async function start(file: string): Promise<{ readonly start: number; readonly imported: number }> {
	const program = `
		const start = process.cpuUsage();
		await import(process.argv[1]);
		const imported = process.cpuUsage(start);
		const sum = ({ system, user }) => (system + user) / 1000;
		console.log(JSON.stringify({ start: sum(start), imported: sum(imported) }));
	`;
	const options = ["--input-type=module", "-e", program, pathToFileURL(file).href];
	const { stdout } = await promisify(execFile)(process.execPath, options);
	return JSON.parse(stdout);
}
