import { readFileSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execute } from "./execute.js";
import { projectFolder } from "./paths.js";

/** A package that was packed and installed in an empty folder, where nothing of this workspace can be reached. */
export interface PackedPackage {
	/** The absolute path of the installed package: what `pi -e` and `pi install` take. */
	readonly path: string;
	/** Deletes the folder that it was installed in. */
	remove(): Promise<void>;
}

/** {@link packPackage} of the extension, which must have been built. */
export function packExtension(): Promise<PackedPackage> {
	return packPackage(join(projectFolder, "packages", "pi-extension"));
}

/**
 * Packs the package in `folder`, and those of its dependencies that are in this workspace, and installs the tarballs with
 * npm in a new temporary folder, as `pi install` does on the current host: without peers, which the host brings. The
 * registry is asked only for dependencies from outside the workspace.
 */
export async function packPackage(folder: string): Promise<PackedPackage> {
	const target = await realpath(await mkdtemp(join(tmpdir(), "pi-subagents-")));
	const remove = (): Promise<void> => rm(target, { recursive: true, force: true });
	try {
		const folders = new Set([await realpath(folder)]);
		const tarballs: string[] = [];
		let offline = true;
		// The set grows while it is gone through.
		for (const each of folders) {
			tarballs.push(await pack(each, target));
			for (const [name, range] of Object.entries(readManifest(each).dependencies ?? {})) {
				if (range.startsWith("workspace:")) {
					folders.add(await realpath(join(each, "node_modules", name)));
				} else {
					offline = false;
				}
			}
		}
		const options = ["--legacy-peer-deps", "--ignore-scripts", "--no-audit", "--no-fund"];
		if (offline) options.push("--offline");
		await execute("npm", ["install", ...options, "--prefix", target, ...tarballs], target);
		return { path: join(target, "node_modules", readManifest(folder).name), remove };
	} catch (error) {
		await remove();
		throw error;
	}
}

interface Manifest {
	readonly name: string;
	readonly dependencies?: Readonly<Record<string, string>>;
}

function readManifest(folder: string): Manifest {
	return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

/** The absolute path of the tarball. */
async function pack(folder: string, target: string): Promise<string> {
	const output = await execute(
		"pnpm",
		["pack", "--json", "--reporter=silent", "--pack-destination", target],
		folder,
	);
	const { filename }: { filename: string } = JSON.parse(output);
	return filename;
}
