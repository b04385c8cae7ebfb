import { readFile } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";

/** An extension as the host knows it. */
export interface KnownExtension {
	readonly path: string;
	/** Where it is from, such as `npm:name` or `auto`. */
	readonly source?: string | undefined;
}

/** File names that say nothing of the extension. */
const ANONYMOUS: ReadonlySet<string> = new Set([
	"index",
	"main",
	"extension",
	"dist",
	"src",
	"extensions",
]);

/**
 * What a person may call an extension: its path, the name of its file or, where that says nothing, of its folder, and the
 * package that it is from.
 */
export async function extensionNames({ path, source }: KnownExtension): Promise<readonly string[]> {
	// One that the host brings has no file.
	if (/^(builtin:|<)/.test(path)) return [path, path.replace(/^builtin:|[<>]/g, "")];
	const names = [path];
	let folder = dirname(path);
	let name = basename(path, extname(path));
	while (ANONYMOUS.has(name) && dirname(folder) !== folder) {
		name = basename(folder);
		folder = dirname(folder);
	}
	names.push(name);
	const packaged = /^npm:(@?[^@]+)/.exec(source ?? "")?.[1] ?? (await packageName(path));
	if (packaged !== undefined) names.push(packaged);
	return names;
}

/** The name in the nearest manifest above a file, within the few levels in which a package has its entry. */
async function packageName(path: string): Promise<string | undefined> {
	let folder = dirname(path);
	for (let level = 0; level < 4; level++) {
		const text = await readFile(join(folder, "package.json"), "utf8").catch(() => undefined);
		if (text !== undefined) {
			const name = nameOf(text);
			if (name !== undefined) return name;
		}
		folder = dirname(folder);
	}
	return undefined;
}

function nameOf(manifest: string): string | undefined {
	try {
		const value: unknown = JSON.parse(manifest);
		return typeof value === "object" && value !== null && "name" in value && "pi" in value
			? String(value.name)
			: undefined;
	} catch {
		return undefined;
	}
}
