#!/usr/bin/env node
import { basename } from "node:path";
import { runCommand } from "./command.js";
import { shellWord } from "./names.js";

process.exitCode = await runCommand(process.argv.slice(2), {
	cwd: process.cwd(),
	print: (text) => console.log(text.replace(/\n$/, "")),
	printError: (text) => console.error(text),
	command: calledAs(process.argv[1] ?? ""),
});

/** What a person types to call it again: through npx, by the name of the link, or with the file. */
function calledAs(file: string): string {
	if (process.env.npm_command === "exec") return "npx @pi-subagents/worktrees";
	return basename(file).startsWith("cli.") ? `node ${shellWord(file)}` : basename(file);
}
