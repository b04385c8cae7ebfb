import type { HostEvent } from "@pi-subagents/core";

/** An event of a host with whatever members it has, as it is printed in JSON and RPC mode, and recorded in a trace. */
export type HostLine = HostEvent & Readonly<Record<string, unknown>>;

/** The line as an event; `undefined` if it is none, which is what an extension may print by mistake. */
export function parseLine(text: string): HostLine | undefined {
	try {
		const line: unknown = JSON.parse(text);
		return isHostLine(line) ? line : undefined;
	} catch {
		return undefined;
	}
}

function isHostLine(line: unknown): line is HostLine {
	return (
		typeof line === "object" && line !== null && "type" in line && typeof line.type === "string"
	);
}
