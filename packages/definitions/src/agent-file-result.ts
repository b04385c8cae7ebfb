import type { AgentDefinition } from "@pi-subagents/core";
import type { Diagnostic } from "./diagnostic.js";

/**
 * How one file ended:
 *
 * - `load`: it is an agent, and nothing has to be said about it;
 * - `load_with_warning`: it is an agent, and a diagnostic says what was read differently or narrower than written;
 * - `reject`: it is meant as an agent, but it cannot be started; a diagnostic says why;
 * - `not_an_agent`: it is something else, such as notes.
 */
export type AgentFileResult =
	| {
			readonly outcome: "load" | "load_with_warning";
			readonly name: string;
			readonly definition: AgentDefinition;
			readonly diagnostics: readonly Diagnostic[];
	  }
	| {
			readonly outcome: "reject";
			/** The name that it asks for: its `name`, or else its file's name. */
			readonly name: string;
			readonly diagnostics: readonly Diagnostic[];
	  }
	| { readonly outcome: "not_an_agent"; readonly diagnostics: readonly Diagnostic[] };
