import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { describeMachine } from "./machine.js";
import { benchFolder } from "./paths.js";
import { limitOf, readRecorded, writeRecorded } from "./recorded.js";
import { isKept, type Result } from "./result.js";
import { rows } from "./rows.js";
import { formatTable } from "./table.js";

const { values: args } = parseArgs({
	options: { row: { type: "string", multiple: true }, record: { type: "boolean" } },
});
const names = [...rows.keys()];
const unknown = args.row?.find((name) => !names.includes(name));
if (unknown !== undefined) {
	console.error(`There is no row ${JSON.stringify(unknown)}; the rows are ${names.join(", ")}.`);
	process.exit(2);
}

const recorded = await readRecorded();
const measured: { readonly row: string; readonly result: Result }[] = [];
const failed: string[] = [];
for (const name of args.row ?? names) {
	process.stderr.write(`${name} ...\n`);
	const results = await runRow(name);
	if (results === undefined) failed.push(name);
	else measured.push(...results.map((result) => ({ row: name, result })));
}

const lines = measured.map(({ row, result }) => ({
	row,
	result,
	limit: limitOf(result, recorded),
}));
console.log(formatTable(lines));
console.log(describeMachine());
if (args.record) await writeRecorded(measured.map(({ result }) => result));
const over = lines.filter(({ result, limit }) => isKept(result, limit) === false);
if (over.length > 0) console.log(`${over.length} of ${lines.length} are over their limits.`);
for (const name of failed) console.log(`The row ${name} could not be measured.`);
process.exitCode = over.length + failed.length > 0 ? 1 : 0;

/** `undefined` if it failed, which it has said. */
async function runRow(name: string): Promise<readonly Result[] | undefined> {
	const child = fork(join(benchFolder, "dist", "run-row.js"), [name], {
		execArgv: ["--expose-gc", "--enable-source-maps"],
		// What a row or a host prints is no part of the table.
		stdio: ["ignore", 2, 2, "ipc"],
	});
	let results: readonly Result[] | undefined;
	child.once("message", (message: readonly Result[]) => {
		results = message;
	});
	const [code] = await once(child, "exit");
	return code === 0 ? results : undefined;
}
