/** Whether a name matches a pattern, in which each `*` stands for any text, even none. Takes time in proportion to both. */
export function matchesPattern(pattern: string, name: string): boolean {
	const [first = "", ...others] = pattern.split("*");
	const last = others.pop();
	if (last === undefined) return pattern === name;
	if (!name.startsWith(first)) return false;
	let position = first.length;
	for (const part of others) {
		const found = name.indexOf(part, position);
		if (found === -1) return false;
		position = found + part.length;
	}
	return name.length - last.length >= position && name.endsWith(last);
}
