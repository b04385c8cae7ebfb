import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DefinitionRegistry } from "@pi-subagents/definitions";
import { compare, spend } from "../compare.js";
import { growth } from "../growth.js";
import type { Result } from "../result.js";

/** What reading agent files takes, and how that grows with their number. */
export async function measureDefinitions(): Promise<readonly Result[]> {
	const loads = await growth("agent files read, against their bytes,", "files", (size) =>
		withFiles(size, async (folder) => {
			const { wall } = await compare({
				baseline: () => spend(() => readAll(folder)),
				ours: () => spend(() => load(folder, size)),
				leastRounds: 15,
			});
			return wall;
		}),
	);
	return [...loads, await unchanged(1000)];
}

/** What every call of the tool does: looking whether anything changed. */
function unchanged(size: number): Promise<Result> {
	return withFiles(size, async (folder) => {
		const registry = await load(folder, size);
		const { wall } = await compare({
			baseline: () => spend(() => statAll(folder)),
			ours: () => spend(() => registry.reload()),
			leastRounds: 15,
		});
		return { what: `nothing changed in ${size} agent files, against stat`, unit: "ms", ...wall };
	});
}

async function load(folder: string, size: number): Promise<DefinitionRegistry> {
	const registry = new DefinitionRegistry({
		folders: [{ kind: "user", path: folder }],
		builtins: [],
	});
	await registry.reload();
	const usable = registry.entries.filter((entry) => entry.state === "enabled").length;
	if (usable !== size) throw new Error(`${usable} of ${size} agent files can be used.`);
	return registry;
}

async function readAll(folder: string): Promise<void> {
	const names = await readdir(folder);
	await Promise.all(names.map((name) => readFile(join(folder, name))));
}

async function statAll(folder: string): Promise<void> {
	const names = await readdir(folder);
	await Promise.all(names.map((name) => stat(join(folder, name))));
}

async function withFiles<T>(count: number, work: (folder: string) => Promise<T>): Promise<T> {
	const folder = await mkdtemp(join(tmpdir(), "pi-bench-agents-"));
	try {
		for (let index = 0; index < count; index++) {
			await writeFile(join(folder, `agent-${index}.md`), agentFile(index));
		}
		return await work(folder);
	} finally {
		await rm(folder, { recursive: true });
	}
}

function agentFile(index: number): string {
	return [
		"---",
		`name: agent-${index}`,
		`description: "Looks after part ${index} of the project and reports what it finds."`,
		"tools: read, grep, find, ls",
		"model: sonnet",
		"thinking: low",
		"max_turns: 20",
		"---",
		`You look after part ${index}. Read what you need and report in a few lines.`,
		"",
	].join("\n");
}
