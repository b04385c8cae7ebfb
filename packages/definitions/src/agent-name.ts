/** The longest name that an agent may have, in characters; its bytes fit into every file system's 255. */
const MAX_CHARACTERS = 60;

const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;
// What no file system, prompt or terminal can take: separators, wildcards, markup, control, direction and invisible characters.
const FORBIDDEN = /[/\\:*?"<>|\p{Cc}\p{Cs}\u00AD\u200B\u2028-\u202E\u2060-\u2069\uFEFF]/u;

/**
 * Why a text cannot be the name of an agent, as a clause; `undefined` if it can. Names end up in paths, branch names and
 * prompts, so everything that would be special in one of them is refused; letters of any script and emoji are fine.
 */
export function checkAgentName(name: string): string | undefined {
	if (name === "") return "it is empty";
	if (name.length > 2 * MAX_CHARACTERS || [...name].length > MAX_CHARACTERS) {
		return `it is longer than ${MAX_CHARACTERS} characters`;
	}
	if (name.trim() !== name) return "it begins or ends with a blank";
	if (name.startsWith(".") || name.endsWith(".")) return "it begins or ends with a full stop";
	if (name.startsWith("-")) return "it begins with a hyphen";
	const forbidden = FORBIDDEN.exec(name);
	if (forbidden) return `it contains ${describeCharacter(forbidden[0])}`;
	if (RESERVED.test(name)) return "it is reserved by Windows";
	return undefined;
}

/** The form in which names are compared: without regard to case and to how accents are encoded. */
export function agentNameKey(name: string): string {
	return name.normalize("NFC").toLowerCase();
}

function describeCharacter(character: string): string {
	const visible = /^[\x21-\x7E]$/.test(character);
	const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0");
	return visible ? `"${character}"` : `the character U+${code}`;
}
