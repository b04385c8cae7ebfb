import type { AgentDefinition } from "@pi-subagents/core";
import type { Diagnostic } from "./diagnostic.js";
import { toDefinition } from "./field-values.js";
import { membersOf } from "./json-value.js";
import { readMembers } from "./read-members.js";

/** A definition that a program makes. */
export type RuntimeDefinition = Omit<AgentDefinition, "source">;

/** Checks a definition that a program made, which may not know types, exactly as a file would be checked. */
export function readRuntimeDefinition(
	given: RuntimeDefinition,
	owner: string,
): { readonly definition?: AgentDefinition; readonly diagnostics: readonly Diagnostic[] } {
	const { prompt, limits, ...fields } = given;
	const members = Object.entries(fields).filter(([key]) => key !== "source");
	const read = readMembers([...members, ...(membersOf(limits) ?? [])]);
	const diagnostics: Diagnostic[] = read.findings.map((finding) => ({ ...finding, file: owner }));
	const { name, description } = read.values;
	const isIncomplete = name === undefined || description === undefined;
	const isWrong = diagnostics.some(({ severity }) => severity === "error");
	// Of a name that cannot be used it has been said.
	if (typeof prompt !== "string" || (isIncomplete && !isWrong)) {
		diagnostics.push({
			severity: "error",
			file: owner,
			what: "The definition is incomplete",
			why: "it needs a name, a description and a prompt",
			fix: "Give all three as texts",
		});
	}
	const failed = diagnostics.some(({ severity }) => severity === "error");
	if (failed || name === undefined || description === undefined) return { diagnostics };
	const definition = toDefinition({ ...read.values, name, description }, prompt, {
		kind: "runtime",
	});
	return { definition, diagnostics };
}
