import { cpus, loadavg } from "node:os";

/** What it was measured on, and how. */
export function describeMachine(): string {
	const model = cpus()[0]?.model.trim() ?? "unknown CPU";
	const load = loadavg().map((value) => value.toFixed(1));
	const options = process.argv.slice(2).join(" ");
	return [
		`Machine: ${model}, ${cpus().length} cores, ${process.platform}-${process.arch}, Node ${process.version}, load ${load.join(" ")}`,
		`Command: pnpm bench ${options}`.trim(),
	].join("\n");
}
