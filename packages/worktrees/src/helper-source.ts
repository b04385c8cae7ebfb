/**
 * The program of the helper process: plain JavaScript for `node --eval`, because a bundle has no file of its own for it.
 * Its messages are arrays:
 *
 * - in: `["start", id, command, args, options, input]`, `["end", id, signal]`
 * - out: `["ready"]`, `["started", id, pid]`, `["output", id, stream, chunk]`, `["ended", id, end]`
 *
 * When its parent is gone, what runs may come to its end, for a minute, and then it ends, too: git that is broken off
 * may leave a checkout half changed.
 */
export const HELPER_SOURCE = `
"use strict";
const { spawn } = require("node:child_process");
process.title = "pi-subagents-git";
const windows = process.platform === "win32";
const running = new Map();
const say = (message) => {
	if (process.connected) process.send(message, () => {});
};
const actions = {
	start(id, command, args, options, input) {
		let child;
		const end = (code, signal, error) => {
			if (!running.delete(id)) return;
			say(["ended", id, { code, signal, error }]);
		};
		running.set(id, (signal) => {
			try {
				process.kill(windows ? child.pid : -child.pid, signal);
			} catch {}
			if (signal !== "SIGKILL") return;
			child.stdout?.destroy();
			child.stderr?.destroy();
		});
		try {
			child = spawn(command, args, {
				...options,
				stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
				detached: !windows,
				windowsHide: true,
			});
		} catch (error) {
			return end(null, null, { code: error.code, message: error.message });
		}
		if (child.pid !== undefined) say(["started", id, child.pid]);
		for (const stream of ["stdout", "stderr"]) {
			child[stream]?.on("data", (chunk) => say(["output", id, stream, chunk]));
		}
		child.stdin?.on("error", () => {});
		child.stdin?.end(input);
		child.once("error", (error) => end(null, null, { code: error.code, message: error.message }));
		child.once("close", (code, signal) => end(code, signal));
	},
	end(id, signal) {
		running.get(id)?.(signal);
	},
};
process.on("message", ([action, ...rest]) => actions[action](...rest));
process.once("disconnect", () => {
	setTimeout(() => running.forEach((end) => end("SIGKILL")), 60_000).unref();
});
say(["ready"]);
`;
