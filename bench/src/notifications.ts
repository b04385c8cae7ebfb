import type { ModelRequest } from "@pi-subagents/test-helpers";

/** How many agents each notification in a request of a parent tells of. */
export function notifications(request: ModelRequest): readonly number[] {
	return request.messages.flatMap((message) => {
		if (message.role !== "user") return [];
		const match = /^(A|\d+) background agents? ha(?:s|ve) ended\./.exec(textOf(message.content));
		if (match === null) return [];
		return [match[1] === "A" ? 1 : Number(match[1])];
	});
}

/** How many agents the parent has been told of. */
export function told(request: ModelRequest): number {
	return notifications(request).reduce((sum, count) => sum + count, 0);
}

/** A string, or the first text part. */
function textOf(content: unknown): string {
	if (typeof content === "string") return content;
	const part: unknown = Array.isArray(content) ? content[0] : undefined;
	return typeof part === "object" && part !== null && "text" in part ? String(part.text) : "";
}
