// Runs tasks two at a time in the background and shows what each agent is doing: in place in a terminal, line by line
// elsewhere.
//     node examples/dist/background-queue.js "Write a haiku." "Write a limerick." "Write a couplet."
import { stdout } from "node:process";
import { moveCursor } from "node:readline";
import { type AgentRecord, describeOutcome, totalTokens } from "@pi-subagents/core";
import { type AgentActivity, createActivity, subscribeUIObserver } from "@pi-subagents/observers";
import { AgentManager } from "@pi-subagents/runner";
import { plainSession } from "./choose-model.js";

const manager = new AgentManager({
	maxConcurrent: 2,
	createSession: () => plainSession("You are a poet."),
});
const activities = new Map<string, AgentActivity>();

manager.subscribe((event) => {
	if (event.type === "session_created") {
		const activity = createActivity();
		activities.set(event.record.id, activity);
		subscribeUIObserver(event.session, activity, () => show(event.record));
	}
	show(event.record);
});

function line(record: AgentRecord): string {
	const { description, lifetimeUsage, outcome, status } = record;
	const text = activities.get(record.id)?.responseText ?? "";
	const doing = outcome ? describeOutcome(outcome) : text.replaceAll("\n", " ").slice(-40);
	return `${status} ${description} ${totalTokens(lifetimeUsage)} tokens ${doing}`.trimEnd();
}

let drawn = 0;
let said = "";
function show(changed: AgentRecord): void {
	if (stdout.isTTY) {
		moveCursor(stdout, 0, -drawn);
		const lines = manager.listAgents().map((record) => line(record).slice(0, stdout.columns - 1));
		stdout.write(lines.map((each) => `${each}\u001b[K\n`).join(""));
		drawn = lines.length;
	} else {
		const now = line(changed);
		if (now !== said) stdout.write(`${now}\n`);
		said = now;
	}
}

for (const prompt of process.argv.slice(2)) {
	manager.spawn({
		type: "poet",
		description: prompt.slice(0, 30),
		prompt,
		background: true,
		context: undefined,
	});
}
await manager.waitForAll();
for (const { description, result } of manager.listAgents()) {
	console.log(`\n# ${description}\n${result ?? ""}`);
}
await manager.dispose();
