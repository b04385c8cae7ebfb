import { parseArgs } from "node:util";
import type { HostName } from "@pi-subagents/e2e";

/** What the person asked for on the command line. */
export type DemoRequest =
	| { readonly kind: "help" }
	| { readonly kind: "wrong"; readonly problem: string }
	| {
			readonly kind: "run";
			readonly host: HostName;
			/** `provider/id`; absent: the scripted model. */
			readonly model?: string;
			/** The interactive pi instead of a demonstration. */
			readonly tui: boolean;
	  };

/** What `--help` prints. */
export const HELP = `pnpm demo [options]

Packs the extension, installs it in a pi with an empty home, and lets that pi delegate three tasks on this project's own
files to sub-agents: one in the foreground, two in the background, one of them steered. Nothing outside of a temporary
directory is changed.

  --host released|current  pi 0.73.1 (default), or pi 1.6.0 on Node 22, which are installed in this clone when needed
  --model provider/id      a real model instead of the scripted one; its key must be in the environment
  --tui                    open the interactive pi with the extension loaded instead
  --help                   print this
`;

/** Reads the arguments. What is wrong is said in one sentence that names it and what is possible. */
export function parseArguments(args: readonly string[]): DemoRequest {
	const { tokens } = parseArgs({
		// npm users write `--` before options; pnpm hands it on.
		args: args[0] === "--" ? args.slice(1) : [...args],
		options: { host: { type: "string" }, model: { type: "string" } },
		strict: false,
		tokens: true,
	});
	let host: HostName = "released";
	let model: string | undefined;
	let tui = false;
	for (const token of tokens) {
		if (token.kind === "option-terminator") continue;
		if (token.kind === "positional") {
			return wrong(`"${token.value}" is not an option; see --help.`);
		}
		const { name, rawName, value } = token;
		switch (name) {
			case "help":
			case "h":
				return { kind: "help" };
			case "tui":
				if (value !== undefined) return wrong("--tui takes no value.");
				tui = true;
				break;
			case "host":
				if (value !== "released" && value !== "current") {
					return wrong(`--host is ${shown(value)}; it must be "released" or "current".`);
				}
				host = value;
				break;
			case "model":
				if (value === undefined || !/^[^/\s]+\/\S+$/.test(value)) {
					return wrong(
						`--model is ${shown(value)}; it must be "provider/id", for example "openai/gpt-5-mini".`,
					);
				}
				model = value;
				break;
			default:
				return wrong(
					`The option ${rawName} is unknown; there are --host, --model, --tui and --help.`,
				);
		}
	}
	return { kind: "run", host, tui, ...(model !== undefined && { model }) };
}

function wrong(problem: string): DemoRequest {
	return { kind: "wrong", problem };
}

function shown(value: string | undefined): string {
	return value === undefined ? "without a value" : JSON.stringify(value);
}
