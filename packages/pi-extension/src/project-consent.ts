import { createHash } from "node:crypto";
import { mkdir, readFile, realpath, rename, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import type { RegistryFile } from "@pi-subagents/definitions";
import type { HostTrust } from "./host/project-trust.js";
import type { Settings } from "./settings.js";

/** A file of a project that may not count before somebody agreed to it. */
export interface ProjectFile {
	/** Below the project, with `/`. */
	readonly path: string;
	/** What it is, for the question; one line. */
	readonly about: string;
	/** Stands for what it may do; another one needs another consent. Absent: it can do nothing. */
	readonly rights?: string;
}

/** What a person said about a project. */
export type ConsentAnswer = "always" | "session" | "never";

/** Why files of a project do not count. */
export type Withholding = "host" | "setting" | "refused" | "unanswered";

/**
 * Whether files that a project brings along may count, where the host did not ask about it: pi 1.x asks only about other
 * kinds of files, and 0.73.1 about none. Who agrees, agrees to files with the rights that they have now; a new file, or one
 * that may do something else, is asked about again. The text of an agent may change: it is read by a model, as `AGENTS.md`
 * is, and cannot do more than the agent may. Who refuses, refuses the project.
 */
export interface ProjectConsent {
	/**
	 * Looks up what was said about the project. The host is asked only when it matters, which takes reading its settings.
	 * Never rejects.
	 */
	open(cwd: string, host: () => HostTrust): Promise<void>;
	accepts(file: ProjectFile, mode: Settings["projectAgents"]): boolean;
	/** Why files are withheld now; `unanswered` is the only reason to ask. */
	why(mode: Settings["projectAgents"]): Withholding;
	/** Keeps an answer about these files. Rejects if it cannot be stored; it is in force then, too. */
	answer(answer: ConsentAnswer, files: readonly ProjectFile[]): Promise<void>;
}

/** What is stored about one project, under its real path. */
interface StoredConsent {
	readonly use: boolean;
	/** The rights of each file, by its path below the project. */
	readonly files: Readonly<Record<string, string>>;
}

/** The file that answers are kept in, for all projects. */
export function consentFile(agentDir: string): string {
	return join(agentDir, "subagents-projects.json");
}

/** The consents of one user. */
export function createProjectConsent(store: string): ProjectConsent {
	let project = "";
	let decide = (): HostTrust => "untrusted";
	let decided: HostTrust | undefined;
	let consent: StoredConsent | undefined;

	function hostTrust(): HostTrust {
		decided ??= decide();
		return decided;
	}

	return {
		async open(cwd, host) {
			decide = host;
			decided = undefined;
			project = await realpath(cwd).catch(() => cwd);
			const { [project]: stored } = await readStore(store).catch(() => ({}) as Store);
			consent = stored;
		},
		accepts({ path, rights }, mode) {
			const host = hostTrust();
			if (host === "untrusted" || mode === "never") return false;
			if (host === "trusted" || mode === "always") return true;
			const agreed = consent?.use === true ? consent.files[path] : undefined;
			return agreed !== undefined && (rights === undefined || rights === agreed);
		},
		why(mode) {
			if (hostTrust() === "untrusted") return "host";
			if (mode === "never") return "setting";
			return consent?.use === false ? "refused" : "unanswered";
		},
		async answer(answer, files) {
			const known = consent?.use === true ? consent.files : {};
			const asked = files.map(({ path, rights = "" }) => [path, rights] as const);
			consent = { use: answer !== "never", files: { ...known, ...Object.fromEntries(asked) } };
			if (answer === "session") return;
			const all = await readStore(store);
			await mkdir(dirname(store), { recursive: true });
			const temporary = `${store}.${process.pid}.tmp`;
			const text = JSON.stringify({ ...all, [project]: consent }, undefined, "\t");
			await writeFile(temporary, `${text}\n`);
			await rename(temporary, store);
		},
	};
}

type Store = Readonly<Record<string, StoredConsent>>;

/** What is not a consent in it is left out: it gives no rights. Rejects if there is a file that is no JSON. */
async function readStore(store: string): Promise<Store> {
	let text: string;
	try {
		text = await readFile(store, "utf8");
	} catch {
		return {};
	}
	const read: unknown = JSON.parse(text);
	if (!isObject(read)) return {};
	return Object.fromEntries(
		Object.entries(read).flatMap(([project, value]): [string, StoredConsent][] => {
			if (!isObject(value) || typeof value.use !== "boolean") return [];
			const files = Object.entries(isObject(value.files) ? value.files : {}).filter(
				(entry): entry is [string, string] => typeof entry[1] === "string",
			);
			return [[project, { use: value.use, files: Object.fromEntries(files) }]];
		}),
	);
}

/** An agent file of a project, as it is asked about. */
export function agentFileOf(cwd: string, { file, result }: RegistryFile): ProjectFile {
	const path = relative(cwd, file).split(sep).join("/");
	if (!("definition" in result)) return { path, about: "an agent that cannot be used as it is" };
	const { name, tools, disallowedTools, extensions, excludeExtensions } = result.definition;
	const { skills, subagents, isolated, isolation } = result.definition;
	const rights = [
		...[name, tools, disallowedTools, extensions, excludeExtensions],
		...[skills, subagents, isolated, isolation],
	];
	const limited =
		tools === undefined || tools.includes("*") ? "all tools" : tools.join(", ") || "no tools";
	return { path, about: `${name}: ${limited}`, rights: fingerprint(JSON.stringify(rights)) };
}

/** The settings file of a project, as it is asked about: every value in it may matter. */
export function settingsFileOf(cwd: string, file: string, text: string): ProjectFile {
	const path = relative(cwd, file).split(sep).join("/");
	return { path, about: "settings of sub-agents", rights: fingerprint(text) };
}

function fingerprint(text: string): string {
	return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
