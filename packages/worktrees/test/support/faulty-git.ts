import { spawn } from "node:child_process";
import type { Git, GitResult } from "../../src/index.js";

/** What happens to one call of git. */
export type Fault =
	/** It fails without having done anything, as on a full disk. */
	| "fails"
	/** It is killed at some moment, early enough to leave things half done. */
	| "is killed"
	/** It has done its work, but is killed before it can say so. */
	| "is killed at its end";

/** Commands that change something; of the others an answer that is lost is the same as a failure. */
const CHANGING: readonly string[] = ["add", "write-tree", "commit-tree", "update-ref", "worktree"];

/** Whether a fault has to be tried with a command. */
export function isWorthTrying(command: string, fault: Fault): boolean {
	return fault !== "is killed at its end" || CHANGING.includes(command.split(" ")[0] ?? "");
}

/** The faults, for a table of tests. */
export const FAULTS: readonly Fault[] = ["fails", "is killed", "is killed at its end"];

/** A git of which one call goes wrong. */
export interface FaultyGit {
	readonly git: Git;
	/** Counts from 1 again, and breaks the call with that number; 0 breaks none. */
	arm(call: number, fault: Fault): void;
	/** What was called since then. */
	readonly calls: readonly string[];
}

/** Wraps a git. */
export function faultyGit(real: Git, environment: NodeJS.ProcessEnv): FaultyGit {
	let broken = 0;
	let fault: Fault = "fails";
	let calls: string[] = [];
	return {
		arm(call, kind) {
			broken = call;
			fault = kind;
			calls = [];
		},
		get calls() {
			return calls;
		},
		git: async (args, call) => {
			calls.push(args.join(" "));
			if (calls.length !== broken) return real(args, call);
			if (fault === "fails") {
				return {
					ok: false,
					code: 128,
					stdout: "",
					stderr: "fatal: write error: No space left on device",
				};
			}
			if (fault === "is killed at its end") {
				await real(args, call);
				return killed();
			}
			return killWhileRunning(
				args,
				{ ...environment, GIT_OPTIONAL_LOCKS: "0", ...call.env },
				call.cwd,
				call.input,
				broken % 4,
			);
		},
	};
}

function killed(): GitResult {
	return { ok: false, stdout: "", stderr: "", failure: "it was killed by SIGKILL" };
}

/** A real process, a real signal, after some milliseconds. */
function killWhileRunning(
	args: readonly string[],
	env: NodeJS.ProcessEnv,
	cwd: string,
	input: string | undefined,
	delay: number,
): Promise<GitResult> {
	return new Promise((resolve) => {
		const child = spawn("git", args, { cwd, env, stdio: ["pipe", "ignore", "ignore"] });
		child.stdin.on("error", () => {});
		child.stdin.end(input);
		setTimeout(() => child.kill("SIGKILL"), delay * 2);
		child.once("close", () => resolve(killed()));
	});
}
