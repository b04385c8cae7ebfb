// A whole release in a temporary copy, without publishing: versions and changelogs from the changesets, tarballs, and what npm
// would do with them. Packages must have been built.
//
//     node scripts/release-dry-run.js [--show]      prints the changelogs
import {
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { execute, refuse } from "./execute.js";

const root = resolve(import.meta.dirname, "..");
const copy = mkdtempSync(join(tmpdir(), "pi-subagents-release-"));
const folders = readdirSync(join(root, "packages"));
const changesets = readdirSync(join(root, ".changeset")).filter((file) => file.endsWith(".md"));

try {
	copyProject();
	const before = new Map(folders.map((folder) => [folder, manifestOf(folder).version]));
	await execute("node", [join(root, "node_modules/@changesets/cli/bin.js"), "version"], copy);
	const left = readdirSync(join(copy, ".changeset")).filter((file) => file.endsWith(".md"));
	refuse("changeset version", left.length > 0 ? [`it left ${left.join(", ")}`] : []);
	const released = folders.filter((folder) => manifestOf(folder).version !== before.get(folder));
	for (const folder of released) checkChangelog(folder);
	const told = await Promise.all(folders.map(pack));
	console.log(`A release would publish ${told.join(", ")}.`);
} catch (error) {
	console.error(error.message);
	process.exitCode = 1;
} finally {
	rmSync(copy, { recursive: true, force: true });
}

/** What a release reads, with each package's dependencies of this workspace where pnpm looks for them. */
function copyProject() {
	const from = ["package.json", "pnpm-workspace.yaml", "LICENSE", ".changeset"];
	for (const name of from) cpSync(join(root, name), join(copy, name), { recursive: true });
	symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
	for (const folder of folders) {
		cpSync(join(root, "packages", folder), join(copy, "packages", folder), {
			recursive: true,
			filter: (path) => !path.endsWith("node_modules"),
		});
		const scope = join(copy, "packages", folder, "node_modules", "@pi-subagents");
		mkdirSync(scope, { recursive: true });
		for (const each of folders) symlinkSync(join(copy, "packages", each), join(scope, each));
	}
}

function manifestOf(folder) {
	return JSON.parse(readFileSync(join(copy, "packages", folder, "package.json"), "utf8"));
}

/** Every sentence that a changeset has about the package is in its changelog, below its new version. */
function checkChangelog(folder) {
	const { name, version } = manifestOf(folder);
	const file = join(copy, "packages", folder, "CHANGELOG.md");
	const text = existsSync(file) ? readFileSync(file, "utf8") : "";
	if (process.argv.includes("--show")) console.log(text);
	const about = changesets
		.map((each) => readFileSync(join(root, ".changeset", each), "utf8"))
		.filter((each) => each.includes(`"${name}":`))
		.map((each) => each.split(/^---$/m)[2].trim().split("\n")[0]);
	refuse(name, [
		...(text.includes(`\n## ${version}\n`) ? [] : [`its changelog has no ${version}`]),
		...about
			.filter((line) => !text.includes(line))
			.map((line) => `its changelog does not say "${line}"`),
	]);
}

/** Resolves with the name and version that npm would publish. */
async function pack(folder) {
	const directory = join(copy, "packages", folder);
	const packed = JSON.parse(
		await execute(
			"pnpm",
			["pack", "--json", "--pack-destination", copy, "--reporter=silent"],
			directory,
		),
	);
	const { files, filename, name, version } = packed;
	const paths = files.map(({ path }) => path);
	const manifest = await execute("tar", ["-xzOf", filename, "package/package.json"], copy);
	refuse(name, [
		...["README.md", "LICENSE"]
			.filter((file) => !paths.includes(file))
			.map((file) => `its tarball has no ${file}`),
		...(/"(workspace|catalog):/.test(manifest) ? ["its tarball depends on the workspace"] : []),
		...paths
			.filter((path) => /^(test|scripts)\//.test(path))
			.map((path) => `its tarball has ${path}`),
	]);
	const dryRun = ["publish", "--dry-run", "--access", "public", "--ignore-scripts", filename];
	await execute("npm", dryRun, copy);
	return `${name} ${version}`;
}
