import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { DefaultPackageManager, type SettingsManager } from "@mariozechner/pi-coding-agent";
import { extensionNames } from "./extension-names.js";
import { matcher } from "./match-names.js";

/** Which of the parent's extensions a child loads, by their names, with `*` for any characters. */
export interface ExtensionChoice {
	/** Only these; absent: all. */
	readonly only: readonly string[] | undefined;
	readonly excluded: readonly string[];
}

/** The extensions that a child loads. */
export interface ChosenExtensions {
	readonly files: readonly string[];
	/** Names of `only` that no extension has. */
	readonly missing: readonly string[];
}

/** Where the parent has its extensions from. */
export interface ExtensionSources {
	readonly cwd: string;
	readonly agentDir: string;
	readonly settingsManager: SettingsManager;
	/** @defaultValue that of the process */
	readonly commandLine?: readonly string[];
}

/**
 * The extensions that a session in `cwd` loads, without this one: those of the settings, the packages and the folders,
 * and those of the command line. They are listed and not loaded; a child loads them for itself.
 */
export async function parentExtensions(
	sources: ExtensionSources,
	{ only, excluded }: ExtensionChoice,
): Promise<ChosenExtensions> {
	if (only?.length === 0) return { files: [], missing: [] };
	const isExcluded = matcher(excluded);
	const isWanted = only === undefined ? () => true : matcher(only);
	const found = new Set<string>();
	const files: string[] = [];
	for (const extension of await loadable(sources)) {
		// Most people name none; then no manifest is read.
		const names =
			only === undefined && excluded.length === 0 ? [] : await extensionNames(extension);
		for (const name of names) found.add(name);
		if (names.some(isExcluded)) continue;
		if (only === undefined || names.some(isWanted)) files.push(extension.path);
	}
	const missing = (only ?? []).filter((name) => ![...found].some(matcher([name])));
	return { files, missing };
}

interface Loadable {
	readonly path: string;
	readonly source?: string;
}

async function loadable({
	cwd,
	agentDir,
	settingsManager,
	commandLine = process.argv,
}: ExtensionSources): Promise<readonly Loadable[]> {
	const { paths, discover } = fromCommandLine(commandLine);
	const packages = new DefaultPackageManager({ cwd, agentDir, settingsManager });
	const found = discover ? (await packages.resolve()).extensions : [];
	const own = realPath(fileURLToPath(import.meta.url));
	return [
		...paths.map((path) => ({ path, source: path })),
		...found
			.filter(({ enabled }) => enabled)
			.map(({ path, metadata }) => ({ path, source: metadata.source })),
	].filter(({ path }) => !own.startsWith(realPath(path)));
}

function fromCommandLine(commandLine: readonly string[]): { paths: string[]; discover: boolean } {
	const paths: string[] = [];
	commandLine.forEach((argument, index) => {
		const value = commandLine[index + 1];
		if ((argument === "-e" || argument === "--extension") && value) {
			// A source such as `npm:name` is no path.
			paths.push(/^[a-z]+:/i.test(value) ? value : resolve(value));
		}
	});
	const discover = !commandLine.includes("--no-extensions") && !commandLine.includes("-ne");
	return { paths, discover };
}

function realPath(path: string): string {
	try {
		return realpathSync(path);
	} catch {
		return path;
	}
}
