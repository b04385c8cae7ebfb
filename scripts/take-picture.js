// Takes the picture of the README: opens the interactive demo in tmux, lets three agents work, and draws the screen while
// they do. It needs tmux and a build.
//
//     node scripts/take-picture.js [--host released|current] [--size 100x30] [--theme dark|light] [--out FILE]
//         [--keys "M-a Enter"] [--when PATTERN]
//
// `--keys` are pressed as tmux names them, one after the other, when the agents work; `--when` is then what has to be on
// the screen.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs, stripVTControlCharacters } from "node:util";
import { ansiToSvg } from "./ansi-to-svg.js";

const root = resolve(import.meta.dirname, "..");
const { values } = parseArgs({
	options: {
		host: { type: "string", default: "released" },
		size: { type: "string", default: "100x30" },
		theme: { type: "string", default: "dark" },
		out: { type: "string", default: join(root, "docs", "images", "widget.svg") },
		keys: { type: "string", default: "" },
		when: { type: "string", default: "at work above the editor\\.[^]*3 running[^]*\\d tools?  " },
		label: {
			type: "string",
			default: "pi in a terminal; above its editor, a list of three agents and what each is doing",
		},
	},
});
const [columns, rows] = values.size.split("x").map(Number);

const socket = `pi-subagents-picture-${process.pid}`;
const tmux = (...args) =>
	execFileSync("tmux", ["-L", socket, "-f", "/dev/null", ...args], {
		encoding: "utf8",
		stdio: "pipe",
	});

/** The screen, with its colours, as soon as it has what the pattern says. */
async function waitFor(pattern) {
	let screen = "";
	for (let tries = 0; tries < 600; tries++) {
		screen = tmux("capture-pane", "-e", "-N", "-p");
		if (pattern.test(stripVTControlCharacters(screen))) return screen;
		await sleep(100);
	}
	throw new Error(`The screen never had ${pattern}:\n${screen}`);
}

const environment = {
	COLORTERM: "truecolor",
	COLORFGBG: values.theme === "light" ? "0;15" : "15;0",
	LANG: "C.UTF-8",
};
const demo = join(root, "examples", "dist", "demo", "main.js");
try {
	tmux(
		...["start-server", ";", "set", "-g", "extended-keys", "on", ";"],
		...["set", "-g", "default-terminal", "tmux-256color", ";"],
		...["new-session", "-d", "-x", String(columns), "-y", String(rows), "-c", root],
		...Object.entries(environment).flatMap(([name, value]) => ["-e", `${name}=${value}`]),
		`"${process.execPath}" "${demo}" --tui --host ${values.host}`,
	);
	await waitFor(/Let three/);
	await sleep(500);
	tmux("send-keys", "Enter");
	if (values.keys !== "") await waitFor(/3 running/);
	for (const key of values.keys.split(" ").filter(Boolean)) {
		tmux("send-keys", key);
		await sleep(500);
	}
	const screen = await waitFor(new RegExp(values.when));
	const { label } = values;
	mkdirSync(dirname(values.out), { recursive: true });
	// The picture does not tell where it was taken.
	const shown = screen.replaceAll(root, "~/pi-subagents");
	writeFileSync(values.out, ansiToSvg(shown, { columns, theme: values.theme, label }));
} finally {
	await leave();
}

/** Lets pi end in good order, so that the demo removes what it made; tmux ends with it. */
async function leave() {
	try {
		for (let tries = 0; tries < 50; tries++) {
			tmux("send-keys", "C-c");
			await sleep(200);
		}
		tmux("kill-server");
	} catch {
		// It has ended.
	}
}
