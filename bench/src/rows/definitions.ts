import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DefinitionRegistry, readAgentFile } from "@pi-subagents/definitions";
import { compare, spend } from "../compare.js";
import { growth } from "../growth.js";
import type { Result } from "../result.js";

/** What is promised, in milliseconds: of 1,000 files, and of one file of 1 MB, whatever is in it. */
const FIRST_LOAD = 1000;
const UNCHANGED = 20;
const ONE_FILE = 50;

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
	// What every run and every call of the tool does: looking whether anything changed.
	const looks = await growth("nothing changed, against stat, in", "agent files", (size) =>
		withFiles(size, async (folder) => {
			const registry = await load(folder, size);
			const { wall } = await compare({
				baseline: () => spend(() => statAll(folder)),
				ours: () => spend(() => registry.reload()),
				leastRounds: 15,
			});
			return wall;
		}),
	);
	return [
		...promise(loads, "1000 files", FIRST_LOAD),
		...promise(looks, "1000 agent files", UNCHANGED),
		...(await oneFile()),
	];
}

/** The results, of which that with this end has a limit in milliseconds. */
function promise(results: readonly Result[], end: string, most: number): readonly Result[] {
	return results.map((result) =>
		result.what.endsWith(end) ? { ...result, limit: { of: "ours", most } } : result,
	);
}

/** Files of 1 MB that are hard to read: most of it in the header, or all of it text. */
async function oneFile(): Promise<readonly Result[]> {
	const tools = (unit: string): string =>
		`---\nname: a\ntools: ${unit.repeat(1_000_000 / Buffer.byteLength(unit))}`;
	const texts = {
		"prose in the header": tools("Some words of a text. "),
		"nested lists": tools("- "),
		brackets: tools("["),
		"line ends": tools("\r"),
		emoji: tools("🚀"),
		"a long text": `---\nname: a\ntools: read\n---\n${"Some words.\r\n".repeat(76_000)}`,
	};
	const results: Result[] = [];
	for (const [name, text] of Object.entries(texts)) {
		const content = Buffer.from(text);
		// Nothing is waited for, so the CPU time is all of it.
		const { cpu } = await compare({
			baseline: () => spend(async () => content.toString("utf8")),
			ours: () => spend(async () => readAgentFile({ file: "a.md", content })),
		});
		const what = `an agent file of 1 MB, ${name}, against its text`;
		results.push({ what, unit: "ms", ...cpu, limit: { of: "ours", most: ONE_FILE } });
	}
	return results;
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
