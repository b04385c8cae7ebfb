// Packs every package and looks at it like a user: publint, an installation from the tarballs, types under both module
// resolutions, imports without side effects, and every `ts` block of the READMEs, which must run, print what the comments
// after its statements say, and end by itself. Without arguments also what scripts/try-projects.js does.
//
//     node scripts/check-packages.js [FOLDER...]      only these of packages/
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { execute, refuse } from "./execute.js";
import { tryProjects } from "./try-projects.js";
import { useLibraries } from "./use-libraries.js";

const root = resolve(import.meta.dirname, "..");
const user = mkdtempSync(join(tmpdir(), "pi-subagents-user-"));

/**
 * The JavaScript that a package may bring, in KB (1000 bytes) as it is in the tarball, and whether it may bring other people's
 * packages. docs/authors.md tells it.
 */
const WEIGHT = {
	core: { most: 20, alone: true },
	observers: { most: 12, alone: true },
	runner: { most: 80, alone: true },
	definitions: { most: 180, alone: false },
	worktrees: { most: 160, alone: true },
	"test-helpers": { most: 80, alone: true },
	"pi-extension": { most: 310, alone: true },
};

try {
	const folders = readdirSync(join(root, "packages"));
	const wanted = process.argv.length > 2 ? process.argv.slice(2) : folders;
	const packages = wanted.map(readPackage);
	const tarballs = await packAll();
	await Promise.all(packages.map((each) => lint(each, tarballs[each.name])));
	for (const each of packages) checkWeight(each);
	// Everything but a package for pi, which only pi imports.
	const libraries = packages.filter(({ exports }) => exports["."]);
	for (const each of packages) {
		checkReadme(each, libraries.includes(each) ? "ts" : "sh");
		if (!libraries.includes(each)) checkPiPackage(each);
	}
	// Other extensions import from it, too, without pi.
	const others = packages.filter((each) => !libraries.includes(each));
	const imported = [...libraries, ...others.map((each) => ({ ...each, peerDependencies: {} }))];
	const examples = await useLibraries(user, imported, tarballs);
	if (process.argv.length === 2) await tryProjects(user, tarballs);
	const names = packages.map(({ folder }) => folder).join(", ");
	console.log(`Good to publish: ${names}; ${examples} README examples ran.`);
} catch (error) {
	console.error(error.message);
	process.exitCode = 1;
} finally {
	rmSync(user, { recursive: true, force: true });
}

function readPackage(folder) {
	const directory = join(root, "packages", folder);
	const manifest = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
	const readme = join(directory, "README.md");
	if (!existsSync(readme)) refuse(manifest.name, ["it has no README.md"]);
	return { ...manifest, directory, folder, readme: readFileSync(readme, "utf8") };
}

/** The path of each package's tarball, by its name. */
async function packAll() {
	const pack = ["-r", "--filter", "./packages/*", "pack", "--json", "--pack-destination", user];
	const packed = JSON.parse(await execute("pnpm", pack, root));
	return Object.fromEntries(packed.map(({ name, filename }) => [name, filename]));
}

async function lint({ name }, file) {
	const tarball = new Uint8Array(readFileSync(file)).buffer;
	const { messages, pkg } = await publint({ strict: true, pack: { tarball } });
	const problems = messages.map((message) => formatMessage(message, pkg));
	refuse(name, problems);
}

function checkWeight({ dependencies = {}, directory, folder, name }) {
	const { alone, most } = WEIGHT[folder];
	const dist = join(directory, "dist");
	const files = readdirSync(dist, { recursive: true }).filter((file) => /\.[cm]?js$/.test(file));
	const size = files.reduce((sum, file) => sum + statSync(join(dist, file)).size, 0) / 1000;
	const foreign = Object.keys(dependencies).filter((each) => !each.startsWith("@pi-subagents/"));
	refuse(name, [
		...(size > most ? [`it has ${Math.ceil(size)} KB of JavaScript and not ${most} at most`] : []),
		...(alone ? foreign.map((each) => `it must not depend on ${each}`) : []),
	]);
}

function checkReadme({ name, readme }, language) {
	const first = /^```(\w*)$/m.exec(readme)?.[1];
	if (first !== language) refuse(name, [`its README does not start with a \`${language}\` block`]);
}

/** What both hosts need, so that the extension binds to the pi that runs and not to a copy that npm brings along. */
function checkPiPackage(piPackage) {
	const { dependencies = {}, directory, name, peerDependencies, peerDependenciesMeta } = piPackage;
	const scripts = readdirSync(join(directory, "dist")).filter((file) => /\.c?js$/.test(file));
	const imported = scripts.flatMap((file) => {
		const code = readFileSync(join(directory, "dist", file), "utf8");
		return [...code.matchAll(/\b(?:from|require\() ?"([^".][^"]*)"/g)].map((match) => match[1]);
	});
	refuse(name, [
		...piPackage.pi.extensions
			.filter((file) => !existsSync(join(directory, file)))
			.map((file) => `its extension ${file} is not there`),
		...Object.keys(dependencies).map((each) => `${each} is not in the bundle`),
		...imported
			.filter((each) => !isBuiltin(each) && !Object.hasOwn(peerDependencies, each))
			.map((each) => `the bundle imports ${each}, which is not a peer`),
		...Object.keys(peerDependencies)
			.filter((each) => !peerDependenciesMeta?.[each]?.optional)
			.map((each) => `the peer ${each} is not optional`),
	]);
}
