// Stands in for the command line program of pi: tells what it was started with, and speaks a little RPC.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const args = process.argv.slice(2);
const agentDir = process.env.PI_CODING_AGENT_DIR ?? "";
const print = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
const read = (...path) => readFileSync(join(agentDir, ...path), "utf8");

function tellAbout() {
	const { HOME, PI_OFFLINE, PI_TELEMETRY, SECRET_KEY, MINE } = process.env;
	return {
		type: "started",
		args,
		env: { HOME, PI_OFFLINE, PI_TELEMETRY, SECRET_KEY, MINE },
		cwd: process.cwd(),
		agents: readdirSync(join(agentDir, "agents")),
		models: JSON.parse(read("models.json")),
		settings: JSON.parse(read("settings.json")),
	};
}

/** How often the host still says that it is streaming, though its run has sent its last event. */
let ending;

function answer(command) {
	const respond = (more) => print({ type: "response", id: command.id, ...more });
	const say = (text) =>
		print({ type: "message_end", message: { role: "assistant", content: text } });
	if (command.type === "extension_ui_response") {
		say(`answered ${JSON.stringify(command)}`);
		print({ type: "agent_end" });
	} else if (command.type === "get_state") {
		respond({ success: true, data: { isStreaming: ending > 0 && ending-- > 0 } });
	} else if (command.type === "die") {
		process.stderr.write("I am dying\n");
		process.exit(3);
	} else if (command.message === "busy") {
		respond({ success: false, error: "already processing" });
	} else if (command.message === "ending" && ending === undefined) {
		ending = 1;
		respond({ success: false, error: "already processing" });
	} else if (command.message === "ask") {
		respond({ success: true });
		print({ type: "agent_start" });
		print({ type: "extension_ui_request", id: "q1", method: "confirm" });
	} else if (command.message === "settle") {
		respond({ success: true });
		print({ type: "agent_start" });
		print({ type: "agent_end", willRetry: true });
		print({ type: "agent_start" });
		say("settled\u2028text");
		print({ type: "agent_end", willRetry: false });
		print({ type: "agent_settled" });
	} else {
		respond({ success: true, data: { disposition: "handled" } });
	}
}

if (args[0] === "install") {
	process.stderr.write(`cannot find ${args[1]}\n`);
	process.exitCode = args[1] === "missing" ? 1 : 0;
	const settings = JSON.parse(read("settings.json"));
	const packages = [...(settings.packages ?? []), args[1]];
	writeFileSync(join(agentDir, "settings.json"), JSON.stringify({ ...settings, packages }));
} else if (args.includes("rpc")) {
	print(tellAbout());
	let rest = "";
	process.stdin.setEncoding("utf8").on("data", (text) => {
		const lines = (rest + text).split("\n");
		rest = lines.pop() ?? "";
		for (const line of lines) answer(JSON.parse(line));
	});
	process.stdin.on("end", () => process.stderr.write("bye\n"));
} else if (args.includes("--terminal")) {
	process.exitCode = process.cwd() === args.at(-1) ? 7 : 1;
} else {
	process.stdout.write("not JSON\n");
	print(tellAbout());
	process.exitCode = args.includes("fail") ? 1 : 0;
}
