import { readFile, stat } from "node:fs/promises";
import { isAbsolute, join, relative, resolve } from "node:path";
import { DefaultPackageManager } from "@mariozechner/pi-coding-agent";
import type { DefinitionFolder } from "@pi-subagents/definitions";
import { readSettings } from "./settings-managers.js";

/** This package, which has no agents. Where it is, 0.73.1 would have to ask npm. */
const SELF = /^npm:@pi-subagents\/pi-extension(?:@|$)/;

/** The settings that say which packages are installed. */
interface PackageSettings {
	readonly packages?: readonly (string | { readonly source: string; readonly agents?: unknown })[];
}

/** Where to look for packages. */
export interface PackagePlaces {
	readonly agentDir: string;
	readonly cwd: string;
	/** Whether pi trusts the project, so that its settings count. */
	readonly projectTrusted: boolean;
}

/**
 * The folders with agent files of the pi packages that the user and the project have installed, those of the project last.
 * As with pi's own resources, a package lists them in its `package.json` (`"pi": { "agents": ["./agents"] }`), or has a
 * folder `agents` and lists nothing at all; and `"agents": []` in the entry of the package in the settings leaves them
 * out. Folders outside of the package do not count. Never rejects: what cannot be found has no agents.
 */
export async function packageAgentFolders(
	places: PackagePlaces,
): Promise<readonly DefinitionFolder[]> {
	const roots = installedPackages(places);
	return (await Promise.all(roots.map(foldersOf))).flat();
}

function installedPackages({ agentDir, cwd, projectTrusted }: PackagePlaces): readonly string[] {
	const settingsManager = readSettings(cwd, agentDir, { projectTrusted });
	const manager = new DefaultPackageManager({ agentDir, cwd, settingsManager });
	const user: PackageSettings = settingsManager.getGlobalSettings();
	const project: PackageSettings = settingsManager.getProjectSettings();
	const find = (scope: "user" | "project", { packages = [] }: PackageSettings): string[] =>
		packages.flatMap((entry) => {
			const { source, agents } = typeof entry === "string" ? { source: entry } : { ...entry };
			if (SELF.test(source) || (Array.isArray(agents) && agents.length === 0)) return [];
			try {
				return manager.getInstalledPath(source, scope) ?? [];
			} catch {
				return [];
			}
		});
	return [...find("user", user), ...find("project", project)];
}

async function foldersOf(root: string): Promise<readonly DefinitionFolder[]> {
	const listed = await listedFolders(root);
	const found = await Promise.all(
		listed.map(async (path) => {
			const folder = resolve(root, path);
			const below = relative(root, folder);
			if (below.startsWith("..") || isAbsolute(below)) return [];
			const stats = await stat(folder).catch(() => undefined);
			return stats?.isDirectory() ? [{ kind: "package" as const, path: folder }] : [];
		}),
	);
	return found.flat();
}

async function listedFolders(root: string): Promise<readonly string[]> {
	try {
		const manifest: unknown = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
		if (!hasMember(manifest, "pi")) return ["agents"];
		const { pi } = manifest;
		if (!hasMember(pi, "agents") || !Array.isArray(pi.agents)) return [];
		return pi.agents.filter((path) => typeof path === "string");
	} catch {
		return ["agents"];
	}
}

function hasMember<Name extends string>(
	value: unknown,
	name: Name,
): value is Readonly<Record<Name, unknown>> {
	return typeof value === "object" && value !== null && name in value;
}
