import type { AgentDefinition } from "@pi-subagents/core";
import { type Diagnostic, quote } from "./diagnostic.js";

/** Something that asks for a name. */
export interface Candidate {
	readonly name: string;
	/** The file, or what registered it. */
	readonly place: string;
	/** Candidates of one folder. */
	readonly folder?: string;
	readonly isFile: boolean;
	readonly definition?: AgentDefinition;
	readonly diagnostics: readonly Diagnostic[];
}

/** The place of a definition that is built in. */
export const BUILTIN = "the built-in definition";

/** Whether two candidates are files of one folder. */
export function isSameFolder(a: Candidate, b: Candidate): boolean {
	return a.folder !== undefined && a.folder === b.folder;
}

/** What is to be said about a name that is defined in several places. Replacing a built-in is no accident. */
export function shadowing(winner: Candidate, others: readonly Candidate[]): readonly Diagnostic[] {
	const files = others.filter(({ isFile }) => isFile);
	const rivals = winner.isFile ? files : others.filter(({ place }) => place !== BUILTIN);
	if (rivals.length === 0) return [];
	return [
		{
			severity: "warning",
			file: winner.place,
			field: "name",
			what: `The name ${quote(winner.name)} is also taken by ${rivals.map(({ place }) => place).join(", ")}`,
			why: `${winner.place} has precedence`,
			fix: "Rename or remove one of them",
		},
	];
}

/** What is to be said about the second file of that name in one folder. */
export function nameTaken(loser: Candidate, winner: Candidate): Diagnostic {
	return {
		severity: "error",
		file: loser.place,
		field: "name",
		what: `The name ${quote(loser.name)} is already taken by ${winner.place}`,
		why: `of two files in one folder the first by file name counts, so ${loser.place} cannot be started`,
		fix: "Rename or remove one of them",
	};
}
