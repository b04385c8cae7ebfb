import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { projectFolder } from "../src/paths.js";
import { temporaryFolder } from "./temporary-folder.js";

const TESTS_PASS = `
@pi-subagents/core:test:  Test Files  2 passed (2)
@pi-subagents/core:test:       Tests  12 passed | 1 skipped (13)
@pi-subagents/runner:test: \x1b[2m      Tests \x1b[22m \x1b[1m30 passed\x1b[22m (30)
`;
const ONE_FAILS = `
@pi-subagents/core:test:       Tests  2 failed | 10 passed (12)
@pi-subagents/runner:test:       Tests  30 passed (30)
`;
const CANNOT_LOAD = `
@pi-subagents/core:test:  Test Files  1 failed (1)
@pi-subagents/core:test:       Tests  no tests
`;

/** Runs `.ci/run` with a pnpm that prints `testOutput` for `pnpm test` and fails in the steps named. */
function runCi(testOutput: string, failing: readonly string[] = []) {
	const folder = temporaryFolder({
		"bin/npx": `#!/usr/bin/env bash
			echo "$*" >> "$(dirname "$0")/../calls"
			[ "$3" = test ] && cat "$(dirname "$0")/../output"
			case " ${failing.join(" ")} " in *" $3 "*) exit 7 ;; esac
		`,
		".ci/run": readFileSync(join(projectFolder, ".ci/run"), "utf8"),
		calls: "",
		output: testOutput,
	});
	spawnSync("chmod", ["+x", join(folder, "bin/npx")]);
	const path = `${join(folder, "bin")}${delimiter}${process.env.PATH}`;
	const env = { ...process.env, PATH: path };
	const { status, stdout } = spawnSync("bash", [join(folder, ".ci/run")], { env });
	const calls = readFileSync(join(folder, "calls"), "utf8").trim().split("\n");
	return { status, closingLine: stdout.toString().trimEnd().split("\n").at(-1), calls };
}

test("everything passes: the tests of all packages are added up", () => {
	expect(runCi(TESTS_PASS)).toEqual({
		status: 0,
		closingLine: "42 passed, 0 failed",
		calls: [
			"-y pnpm@12.21.0 install --frozen-lockfile",
			"-y pnpm@12.21.0 test",
			"-y pnpm@12.21.0 typecheck",
			"-y pnpm@12.21.0 lint",
			"-y pnpm@12.21.0 check:packages",
		],
	});
});

test("a test fails: the other steps still run", () => {
	const { calls, closingLine, status } = runCi(ONE_FAILS, ["test"]);
	expect([status, closingLine]).toEqual([1, "40 passed, 2 failed"]);
	expect(calls).toHaveLength(5);
});

test("a test file cannot be loaded: that counts as one failure", () => {
	const { closingLine, status } = runCi(CANNOT_LOAD, ["test"]);
	expect([status, closingLine]).toEqual([1, "0 passed, 1 failed"]);
});

test("another step fails: that counts, and is the result", () => {
	const { closingLine, status } = runCi(TESTS_PASS, ["lint"]);
	expect([status, closingLine]).toEqual([1, "42 passed, 1 failed"]);
});

test("the installation fails: nothing else runs, and the closing line is there", () => {
	const { calls, closingLine, status } = runCi(TESTS_PASS, ["install"]);
	expect([status, closingLine]).toEqual([1, "0 passed, 1 failed"]);
	expect(calls).toHaveLength(1);
});
