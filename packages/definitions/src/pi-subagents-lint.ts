#!/usr/bin/env node
import { lint } from "./lint.js";

const { exitCode, output, problem } = await lint(process.argv.slice(2));
process.stderr.write(problem);
process.stdout.write(output);
process.exitCode = exitCode;
