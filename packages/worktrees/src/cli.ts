#!/usr/bin/env node
import { runCommand } from "./command.js";

process.exitCode = await runCommand(process.argv.slice(2), {
	cwd: process.cwd(),
	print: (text) => console.log(text.replace(/\n$/, "")),
	printError: (text) => console.error(text),
});
