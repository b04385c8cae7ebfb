import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { modelsJson, settingsJson } from "../model-server/agent-dir.js";
import type { ModelServer } from "../model-server/model-server.js";

/** Files by their path below some directory. */
export type Files = Readonly<Record<string, string>>;

/** What to put where before the host starts. */
export interface HostFiles {
	/** The server that the host asks; its models are those of `modelsJson`. */
	readonly server: Pick<ModelServer, "url">;
	/** Members of `settings.json` on top of those of `settingsJson`. */
	readonly settings?: Readonly<Record<string, unknown>>;
	/** Agent files by name, with or without `.md`, in the `agents` folder of the agent directory. */
	readonly agentFiles?: Files;
	/** Other files in the agent directory, for example `subagents.json`. */
	readonly agentDirFiles?: Files;
	/** Files in the directory that the host runs in. 1.6.0 reads `.pi/` only if the project is trusted (`-a`). */
	readonly projectFiles?: Files;
}

/** The directories that a host sees, all below one that is temporary. */
export interface HostDirectories {
	readonly root: string;
	readonly home: string;
	/** What the host takes for `~/.pi/agent`. */
	readonly agentDir: string;
	/** Where the host runs. */
	readonly project: string;
}

/** Makes the directories, outside of any workspace, and writes the files. */
export async function makeHostDirectories(files: HostFiles): Promise<HostDirectories> {
	// The host names real paths, also where the temporary directory is a link.
	const root = await realpath(await mkdtemp(join(tmpdir(), "pi-test-host-")));
	const home = join(root, "home");
	const agentDir = join(root, "agent");
	const project = join(root, "project");
	const agents = join(agentDir, "agents");
	await Promise.all([home, agents, project].map((path) => mkdir(path, { recursive: true })));
	const settings = { ...settingsJson(), ...files.settings };
	await writeFiles(agentDir, {
		"models.json": JSON.stringify(modelsJson(files.server), null, "\t"),
		"settings.json": JSON.stringify(settings, null, "\t"),
		...files.agentDirFiles,
	});
	const agentFiles = Object.entries(files.agentFiles ?? {}).map(([name, text]) => [
		name.endsWith(".md") ? name : `${name}.md`,
		text,
	]);
	await writeFiles(agents, Object.fromEntries(agentFiles));
	await writeFiles(project, files.projectFiles ?? {});
	return { root, home, agentDir, project };
}

/** Removes everything below the root. */
export async function removeHostDirectories(directories: HostDirectories): Promise<void> {
	// A process that is being ended may still write.
	await rm(directories.root, { recursive: true, force: true, maxRetries: 5 });
}

async function writeFiles(directory: string, files: Files): Promise<void> {
	for (const [name, text] of Object.entries(files)) {
		const file = join(directory, name);
		await mkdir(dirname(file), { recursive: true });
		await writeFile(file, text);
	}
}
