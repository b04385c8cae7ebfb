import { checkAgentName } from "./agent-name.js";
import { type Finding, listNames } from "./diagnostic.js";
import { type FieldInput, type Report, TOO_UNSURE } from "./field-input.js";
import type { FieldName, FieldValues } from "./field-values.js";
import { fieldSpec, foldKey } from "./fields.js";
import { readTools } from "./read-tools.js";
import { readValue } from "./read-value.js";
import { isEmpty } from "./value-readers.js";

/** What fields were found to say. An error among the findings means that the values must not be used. */
export interface ReadValues {
	readonly values: FieldValues;
	/** Fields that are there and say nothing, such as `model:`. */
	readonly empty: readonly FieldName[];
	readonly findings: readonly Finding[];
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * Reads the values of fields. What cannot be read with certainty is left out with a warning, unless the field bounds what
 * the agent may do: then the value is read narrower than written, with a warning, or there is an error.
 */
export function readValues(inputs: readonly FieldInput[]): ReadValues {
	const findings: Finding[] = [];
	const report: Report = (severity, { name, line }, what, why, fix) => {
		findings.push({
			severity,
			field: name,
			what,
			why,
			fix,
			...(line !== undefined && { line }),
		});
	};
	const values: Mutable<FieldValues> = {};
	const empty: FieldName[] = [];
	const kept = withoutRepetitions(inputs, report);
	for (const input of kept) {
		const { name, key, value } = input;
		if (foldKey(key) !== foldKey(name) && !input.negated) {
			const why = "that is the name of this field here";
			report("info", input, `\`${key}\` is read as \`${name}\``, why, `Write \`${name}\``);
		}
		if (isEmpty(value) && !fieldSpec(name).rights) {
			empty.push(name);
			if (name === "color") reportEmptyColor(input, report);
			continue;
		}
		const read = readValue(input, report);
		if (read !== undefined) Object.assign(values, { [name]: read });
	}
	reportCapitals(kept, report);
	applyDelegation(values, kept, report);
	return { values, empty, findings };
}

function withoutRepetitions(inputs: readonly FieldInput[], report: Report): readonly FieldInput[] {
	const kept = new Map<FieldName, FieldInput>();
	for (const input of inputs) {
		const first = kept.get(input.name);
		if (first === undefined) {
			kept.set(input.name, input);
			continue;
		}
		const what =
			first.key === input.key
				? `\`${input.key}\` is there twice`
				: `\`${first.key}\` and \`${input.key}\` are both there`;
		const rights = fieldSpec(input.name).rights;
		const why = rights ? TOO_UNSURE : "the first one counts";
		report(rights ? "error" : "warning", input, what, why, "Leave one of them");
	}
	return [...kept.values()];
}

function reportCapitals(inputs: readonly FieldInput[], report: Report): void {
	const capitals = inputs.filter(({ key }) => /^[A-Z]/.test(key));
	const [first] = capitals;
	if (first === undefined) return;
	const what = `Fields are written ${listNames(capitals.map(({ key }) => key))}`;
	const fix = `Write ${listNames(capitals.map(({ name }) => name))}`;
	report("warning", first, what, "names of fields are lower-case", fix);
}

function reportEmptyColor(input: FieldInput, report: Report): void {
	const why = "a `#` that is not in quotes starts a comment";
	report("info", input, "`color` has no value", why, 'Write it in quotes: `color: "#ff8800"`');
}

/** Agents that a tools list grants are read as `subagents`; a denylist that names delegation takes it away. */
function applyDelegation(
	values: Mutable<FieldValues>,
	inputs: readonly FieldInput[],
	report: Report,
): void {
	const allow = inputs.find((input) => input.name === "tools");
	const granted = (allow ? (readTools(allow.value, "allow").agents ?? []) : []).filter(
		(agent) => checkAgentName(agent) === undefined,
	);
	if (allow && granted.length > 0 && values.subagents === undefined) {
		values.subagents = granted;
		const what = `\`tools\` names the agents ${listNames(granted)}`;
		const why = "starting an agent is no tool here, so they are read as `subagents`";
		report("warning", allow, what, why, `Write \`subagents: ${granted.join(", ")}\` instead`);
	}
	const deny = inputs.find((input) => input.name === "disallowed_tools");
	if (!deny || readTools(deny.value, "deny").agents === undefined) return;
	if (values.subagents !== undefined && values.subagents.length > 0) {
		const what = "`disallowed_tools` takes away what `subagents` grants";
		report("warning", deny, what, "the denial wins", "Leave one of them");
	}
	values.subagents = [];
}
