import {
	chmod,
	link,
	mkdir,
	mkdtemp,
	readdir,
	readFile,
	realpath,
	rename,
	rm,
	stat,
	writeFile,
} from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { AgentDefinition } from "@pi-subagents/core";
import { agentNameKey, checkAgentName } from "./agent-name.js";
import { decodeText } from "./decode-text.js";
import { formatDiagnostic, quote } from "./diagnostic.js";
import { type AgentChanges, editAgentText } from "./edit-agent-text.js";
import { toFieldValues } from "./field-values.js";
import { formatAgentFile } from "./format-agent-file.js";
import { normaliseText, trimBody } from "./frontmatter.js";
import { readAgentFile } from "./read-agent-file.js";
import { readRuntimeDefinition } from "./runtime-definition.js";

/** Which file was written, or a sentence about why none was. */
export type WriteResult =
	| { readonly ok: true; readonly file: string }
	| { readonly ok: false; readonly message: string };

/**
 * Writes a definition as a new file `NAME.md` in a folder, which is made if it is not there: for creating an agent, and for
 * ejecting a built-in one. Refuses names that cannot be file names, an existing file, and a definition that the reader would
 * not read back without a warning and exactly. Other processes see the whole file or none.
 */
export async function createAgentFile(
	folder: string,
	definition: Omit<AgentDefinition, "source">,
): Promise<WriteResult> {
	const problem = checkAgentName(definition.name);
	if (problem !== undefined) {
		return refuse(`The name ${quote(definition.name)} cannot be used: ${problem}.`);
	}
	const file = join(resolve(folder), `${definition.name}.md`);
	const checked = readRuntimeDefinition(definition, file);
	const problems = checked.diagnostics.filter(({ severity }) => severity !== "info");
	if (!checked.definition || problems.length > 0) {
		return refuse(problems.map(formatDiagnostic).join(" "));
	}
	const wanted = { ...checked.definition, prompt: trimBody(normaliseText(definition.prompt)) };
	const text = formatAgentFile(toFieldValues(wanted), wanted.prompt);
	const read = readAgentFile({ file, content: Buffer.from(text) });
	if (read.outcome === "reject" || read.outcome === "not_an_agent") {
		return refuse(`It would be rejected. ${read.diagnostics.map(formatDiagnostic).join(" ")}`);
	}
	if (!isSame(read.definition, wanted)) {
		return refuse(`The agent ${quote(wanted.name)} cannot be written as a file without loss.`);
	}
	try {
		await mkdir(dirname(file), { recursive: true });
		const key = agentNameKey(`${wanted.name}.md`);
		const taken = (await readdir(dirname(file))).find((name) => agentNameKey(name) === key);
		if (taken !== undefined) return refuse(`${join(dirname(file), taken)} is already there.`);
		// A hard link fails if another process has made the file meanwhile; a rename would replace it.
		await withTemporaryFile(file, text, undefined, (temporary) => link(temporary, file));
		return { ok: true, file };
	} catch (error) {
		return refuse(`${file} could not be written: ${messageOf(error)}.`);
	}
}

/**
 * Changes single fields of an agent file, see {@link editAgentText}. A link stays a link: the file that it leads to is
 * changed. Refuses if the file was changed meanwhile.
 */
export async function editAgentFile(file: string, changes: AgentChanges): Promise<WriteResult> {
	try {
		const real = await realpath(file);
		const before = await stat(real);
		const text = decodeText(await readFile(real));
		if (typeof text !== "string") return refuse(`${file} is no text in UTF-8.`);
		const edited = editAgentText(file, text, changes);
		if (!edited.ok) return edited;
		if (edited.text === text) return { ok: true, file };
		const changed = await withTemporaryFile(real, edited.text, before.mode, async (temporary) => {
			const now = await stat(real);
			if (now.mtimeMs !== before.mtimeMs || now.size !== before.size) return true;
			await rename(temporary, real);
			return false;
		});
		return changed
			? refuse(`${file} was changed by somebody else; nothing was written.`)
			: { ok: true, file };
	} catch (error) {
		return refuse(`${file} could not be changed: ${messageOf(error)}.`);
	}
}

/** The temporary file lies next to the real one, so that a rename or link is atomic; it is gone afterwards. */
async function withTemporaryFile<T>(
	file: string,
	text: string,
	mode: number | undefined,
	place: (temporary: string) => Promise<T>,
): Promise<T> {
	const folder = await mkdtemp(join(dirname(file), ".agent-"));
	try {
		const temporary = join(folder, "agent");
		await writeFile(temporary, text);
		if (mode !== undefined) await chmod(temporary, mode & 0o777);
		return await place(temporary);
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

function isSame(a: AgentDefinition, b: AgentDefinition): boolean {
	return (
		JSON.stringify(toFieldValues(a)) === JSON.stringify(toFieldValues(b)) && a.prompt === b.prompt
	);
}

function refuse(message: string): WriteResult {
	return { ok: false, message };
}

function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
