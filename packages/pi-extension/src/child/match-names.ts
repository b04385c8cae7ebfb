/** Whether a name is one of these, with `*` for any characters. */
export function matcher(patterns: readonly string[]): (name: string) => boolean {
	const expressions = patterns.map(
		(pattern) => new RegExp(`^${pattern.split("*").map(escapeExpression).join(".*")}$`, "s"),
	);
	return (name) => expressions.some((expression) => expression.test(name));
}

function escapeExpression(text: string): string {
	return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
