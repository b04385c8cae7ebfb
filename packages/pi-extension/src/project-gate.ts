import { isAbsolute, relative } from "node:path";
import type { ExtensionContext } from "@mariozechner/pi-coding-agent";
import type { DefinitionFolder, RegistryFile } from "@pi-subagents/definitions";
import { oneLine, plural } from "./format.js";
import { hostTrust } from "./host/project-trust.js";
import {
	agentFileOf,
	type ConsentAnswer,
	consentFile,
	createProjectConsent,
	type ProjectFile,
	settingsFileOf,
	type Withholding,
} from "./project-consent.js";
import { type ProjectSettings, projectSettingsFile, type Settings } from "./settings.js";

/** Keeps what a project brings along out of the session until it may count. */
export interface ProjectGate {
	open(ctx: ExtensionContext): Promise<void>;
	/** The project's settings file, for one reading of the settings. */
	settings(): ProjectSettings;
	/** Whether an agent file may count. */
	accepts(file: RegistryFile, kind: DefinitionFolder["kind"]): boolean;
	/** Says what does not count, or asks about it: each thing once. Waits for no answer. */
	review(withheld: readonly RegistryFile[]): void;
	/** Asks about all that does not count, whatever was answered before, if an answer can change it. Resolves when it is in force. */
	ask(withheld: readonly RegistryFile[]): Promise<void>;
	/** Why an agent file does not count, as the end of a sentence. */
	reason(): string;
	close(): void;
}

/** What the gate needs of its session. */
export interface GateSurroundings {
	readonly agentDir: string;
	readonly mode: () => Settings["projectAgents"];
	/** Tells the person, or where there is none, the model. */
	readonly tell: (lines: readonly string[]) => void;
	/** An answer is in force: settings and agent files have to be read again. */
	readonly onAnswer: () => Promise<void>;
}

const ANSWERS: Readonly<Record<string, ConsentAnswer>> = {
	"Use them": "always",
	"Use them in this session only": "session",
	"Do not use them": "never",
};

/** How many files a question names. */
const MOST_FILES = 20;

/** A gate that lets nothing through until it is opened. */
export function createProjectGate(surroundings: GateSurroundings): ProjectGate {
	const { agentDir, mode, tell, onAnswer } = surroundings;
	const consent = createProjectConsent(consentFile(agentDir));
	const reviewed = new Set<string>();
	let context: ExtensionContext | undefined;
	let cwd = "";
	let closed = new AbortController();
	let settingsFile: ProjectFile | undefined;
	let asking = false;

	/** What does not count, also if what was read before an answer is not read again yet. */
	function waiting(withheld: readonly RegistryFile[]): readonly ProjectFile[] {
		const settings = settingsFile === undefined ? [] : [settingsFile];
		const files = [...settings, ...withheld.map((file) => agentFileOf(cwd, file))];
		return files.filter((file) => !consent.accepts(file, mode()));
	}

	async function ask(ctx: ExtensionContext, files: readonly ProjectFile[]): Promise<void> {
		const { signal } = closed;
		const title = `Use the agents of this project?\n${oneLine(cwd, 200)}\n\n${listOf(files).join("\n")}\n`;
		asking = true;
		try {
			const chosen = await ctx.ui.select(title, Object.keys(ANSWERS), { signal });
			if (signal.aborted) return;
			const answer = chosen === undefined ? undefined : ANSWERS[chosen];
			if (answer !== undefined) await keep(answer, files);
			if (signal.aborted) return;
			const isUsed = answer === "always" || answer === "session";
			ctx.ui.notify(
				isUsed
					? "The agents of this project are used."
					: "The agents of this project are not used. /agents, Agent types, asks again.",
			);
		} catch {
			// The session was replaced meanwhile; the next one asks.
		} finally {
			if (!signal.aborted) asking = false;
		}
	}

	async function keep(answer: ConsentAnswer, files: readonly ProjectFile[]): Promise<void> {
		try {
			await consent.answer(answer, files);
		} catch (error) {
			const why = error instanceof Error ? error.message : String(error);
			tell([`${consentFile(agentDir)} could not be written, so you will be asked again: ${why}.`]);
		}
		asking = false;
		await onAnswer();
	}

	return {
		async open(ctx) {
			context = ctx;
			({ cwd } = ctx);
			closed.abort();
			closed = new AbortController();
			reviewed.clear();
			asking = false;
			await consent.open(cwd, () => hostTrust(ctx, agentDir));
		},
		settings() {
			settingsFile = undefined;
			const path = projectSettingsFile(cwd);
			return {
				file: path,
				accepts(text, { projectAgents }) {
					const file = settingsFileOf(cwd, path, text);
					const accepted = consent.accepts(file, projectAgents);
					if (!accepted) settingsFile = file;
					return accepted;
				},
			};
		},
		accepts(file, kind) {
			const below = relative(cwd, file.file);
			const isOfProject = kind === "project" || !(below.startsWith("..") || isAbsolute(below));
			return kind === "user" || !isOfProject || consent.accepts(agentFileOf(cwd, file), mode());
		},
		review(withheld) {
			const files = waiting(withheld);
			const key = JSON.stringify(files.map(({ path, rights }) => [path, rights]));
			if (files.length === 0 || context === undefined || asking || reviewed.has(key)) return;
			reviewed.add(key);
			const why = consent.why(mode());
			if (why === "unanswered" && context.hasUI) void ask(context, files);
			else if (why === "unanswered" || why === "host") {
				tell([notUsed(files, why, agentDir)]);
			}
		},
		async ask(withheld) {
			const why = consent.why(mode());
			if (why === "host" || why === "setting") tell([`They are not used: ${REASONS[why]}.`]);
			else if (context !== undefined) await ask(context, waiting(withheld));
		},
		reason: () => REASONS[consent.why(mode())],
		close: () => closed.abort(),
	};
}

const REASONS: Readonly<Record<Withholding, string>> = {
	host: "pi does not trust this project",
	setting: "the setting projectAgents is never",
	refused: "the user refused the agents of this project",
	unanswered: "the user has not agreed to the agents of this project",
};

function notUsed(files: readonly ProjectFile[], why: Withholding, agentDir: string): string {
	const named = listOf(files).join(", ");
	const count = plural(files.length, "file");
	return why === "host"
		? `${count} of this project not used, because pi does not trust the project: ${named}. Use /trust to change that.`
		: `${count} of this project not used, because nobody could be asked: ${named}. To use them, agree in the terminal, set projectAgents to "always" in ${agentDir}/subagents.json, or start pi 1.x with --approve.`;
}

/** The files, each on one line; their names and what is in them are a stranger's. */
function listOf(files: readonly ProjectFile[]): readonly string[] {
	const lines = files
		.slice(0, MOST_FILES)
		.map(({ path, about }) => `${oneLine(path, 100)} (${oneLine(about, 100)})`);
	return files.length > MOST_FILES ? [...lines, `and ${files.length - MOST_FILES} more`] : lines;
}
