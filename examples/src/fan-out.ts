// Gives each task to an agent of its own, three at a time, and stops all of them when together they have cost too much:
//     BUDGET=0.05 node examples/dist/fan-out.js "Name a prime." "Name a colour." "Name a river."
import { AgentManager } from "@pi-subagents/runner";
import { plainSession } from "./choose-model.js";

const tasks = process.argv.slice(2);
const budget = Number(process.env.BUDGET ?? 0.1);

const manager = new AgentManager({
	maxConcurrent: 3,
	createSession: () => plainSession("You are one of several agents. Answer in one sentence."),
});
const spent = (): number =>
	manager.listAgents().reduce((sum, { lifetimeUsage }) => sum + lifetimeUsage.cost, 0);

manager.subscribe((event) => {
	if (event.type !== "session_created") return;
	// The manager has counted a message when those who subscribed to the session later hear of it.
	event.session.subscribe(({ type }) => {
		if (type === "message_end" && spent() > budget) manager.abortAll("program");
	});
});
for (const prompt of tasks) {
	manager.spawn({
		type: "worker",
		description: prompt.slice(0, 40),
		prompt,
		background: true,
		context: undefined,
	});
}
await manager.waitForAll();

for (const { description, result, status } of manager.listAgents()) {
	console.log(`${status}: ${description}: ${result || "nothing"}`);
}
console.log(`$${spent().toFixed(4)} of $${budget} spent`);
await manager.dispose();
