import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { DefaultPackageManager, type SettingsManager } from "@mariozechner/pi-coding-agent";

/**
 * The files of the extensions that a session in `cwd` loads, without this one: those of the settings, the packages and
 * the folders, and those of the command line. They are listed and not loaded; a child loads them for itself.
 */
export async function parentExtensionFiles(
	cwd: string,
	agentDir: string,
	settingsManager: SettingsManager,
	commandLine: readonly string[] = process.argv,
): Promise<readonly string[]> {
	const { paths, discover } = fromCommandLine(commandLine);
	const packages = new DefaultPackageManager({ cwd, agentDir, settingsManager });
	const found = discover ? (await packages.resolve()).extensions : [];
	const own = realPath(fileURLToPath(import.meta.url));
	const files = found.filter((extension) => extension.enabled).map((extension) => extension.path);
	return [...paths, ...files].filter((path) => !own.startsWith(realPath(path)));
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
