import type { AgentDefinition } from "@pi-subagents/core";
import { agentNameKey } from "./agent-name.js";
import { formatDiagnostic, quote } from "./diagnostic.js";
import type { RegistryEntry } from "./index-definitions.js";
import { nearestNames } from "./nearest-names.js";

/** What a name leads to. */
export type Lookup =
	| {
			readonly found: true;
			readonly entry: RegistryEntry;
			readonly definition: AgentDefinition;
	  }
	| {
			readonly found: false;
			readonly reason: "unknown" | "disabled" | "rejected";
			/** Sentences for the model and for people. */
			readonly message: string;
			/** Names that may have been meant, best first. */
			readonly nearest: readonly string[];
	  };

/** Looks a name up without regard to case. Any value may be given; anything but a text is unknown. */
export function lookUp(byKey: ReadonlyMap<string, RegistryEntry>, name: unknown): Lookup {
	const wanted = typeof name === "string" ? name.trim() : "";
	const entry = byKey.get(agentNameKey(wanted));
	if (!entry) return unknown(byKey, wanted);
	if (entry.state === "enabled") return { found: true, entry, definition: entry.definition };
	const nearest: readonly string[] = [];
	if (entry.state === "disabled") {
		const message = `The agent ${quote(entry.name)} is disabled by ${entry.disabledBy}.`;
		return { found: false, reason: "disabled", message, nearest };
	}
	const errors = entry.diagnostics.filter(({ severity }) => severity === "error");
	const why = errors.map(formatDiagnostic).join(" ");
	const message = `The agent ${quote(entry.name)} cannot be started. ${why}`;
	return { found: false, reason: "rejected", message, nearest };
}

function unknown(byKey: ReadonlyMap<string, RegistryEntry>, wanted: string): Lookup {
	const names = [...byKey.values()].flatMap((entry) =>
		entry.state === "enabled" && entry.definition.hidden !== true ? [entry.name] : [],
	);
	const nearest = nearestNames(wanted, names);
	const hint = nearest[0] === undefined ? "" : ` Did you mean ${quote(nearest[0])}?`;
	const known = names.length === 0 ? "There are none." : `Known are: ${names.join(", ")}.`;
	const message = `There is no agent ${wanted === "" ? "without a name" : quote(wanted)}.${hint} ${known}`;
	return { found: false, reason: "unknown", message, nearest };
}
