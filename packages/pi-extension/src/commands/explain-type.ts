import {
	formatDiagnostic,
	type Invocation,
	type MatchableModel,
	type ModelChoices,
	type RegistryEntry,
	resolveModel,
	type ValueSource,
} from "@pi-subagents/definitions";
import { decide } from "../invocation.js";
import { SETTING_SPECS, type Settings } from "../settings.js";

/** What a value is if nobody decided it; everything else is then a limit that is not there. */
const UNDECIDED: Readonly<Partial<Record<keyof Invocation, string>>> = {
	thinking: "the parent's",
	cwd: "the parent's",
	tools: "the parent's",
	extensions: "the parent's",
	skills: "all that pi finds",
	grace_turns: String(SETTING_SPECS.graceTurns.fallback),
};

/** Every value that an agent of this type would get, each with where it comes from, and all that is to be said about it. */
export function explainType(
	entry: RegistryEntry,
	settings: Settings,
	models: ModelChoices<MatchableModel>,
): string {
	const notes = entry.diagnostics.map(formatDiagnostic);
	const shadowed = entry.shadowed.map((place) => `It is used instead of ${place}.`);
	if (entry.state === "rejected") {
		const place = entry.file === undefined ? [] : [`file: ${entry.file}`];
		return ["It cannot be started.", ...place, "", ...notes, ...shadowed].join("\n");
	}
	const { definition } = entry;
	const { kind, file } = definition.source;
	const decided = decide({}, entry, { ...definition, enabled: true }, settings);
	const values = decided.ok ? valueLines(decided.invocation, models) : [decided.message];
	const { locked = [], hidden } = definition;
	return [
		definition.description,
		`source: ${kind}${file === undefined ? "" : ` ${file}`}`,
		...(entry.state === "disabled" ? [`disabled by ${entry.disabledBy}`] : []),
		...(hidden === true ? ["hidden: the model is not told of it"] : []),
		...(locked.length > 0 ? [`locked: a call cannot change ${locked.join(", ")}`] : []),
		"",
		...values,
		...(notes.length + shadowed.length > 0 ? ["", ...notes, ...shadowed] : []),
		...(definition.prompt ? ["", definition.prompt] : []),
	].join("\n");
}

function valueLines(
	invocation: Invocation,
	models: ModelChoices<MatchableModel>,
): readonly string[] {
	const found = resolveModel(invocation.model.value, models);
	const model = found.found ? `${found.model.provider}/${found.model.id}` : found.message;
	return Object.entries(invocation).map(([name, { value, source }]) => {
		const text = shown(value, UNDECIDED[name as keyof Invocation] ?? "no limit");
		return `${name}: ${text}${name === "model" ? ` = ${model}` : ""} (${sourceText(source)})`;
	});
}

function sourceText({ kind, file }: ValueSource): string {
	if (file !== undefined) return `${kind} ${file}`;
	return kind === "file" ? "its definition" : kind;
}

function shown(value: unknown, undecided: string): string {
	if (value === undefined) return undecided;
	if (Array.isArray(value)) return value.length === 0 ? "none" : value.join(", ");
	return String(value);
}
