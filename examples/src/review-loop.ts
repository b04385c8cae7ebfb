// One agent works in a git worktree, another one reviews it there, and the first goes on with what was found, three times at
// most. Both are sessions of pi's coding agent with its tools. What was made is on a branch in the end.
//     node examples/dist/review-loop.js "Write a test for parse.js."
import {
	AuthStorage,
	createAgentSession,
	ModelRegistry,
	SessionManager,
} from "@mariozechner/pi-coding-agent";
import { AgentManager } from "@pi-subagents/runner";
import { worktreeProvider } from "@pi-subagents/worktrees";
import { chooseModel } from "./choose-model.js";

const [task = "Write a README."] = process.argv.slice(2);
const ROUNDS = 3;
const APPROVED = "APPROVED";

const authStorage = AuthStorage.create();
const model = chooseModel();
if (model.provider === "local") authStorage.setRuntimeApiKey("local", "none");
const modelRegistry = ModelRegistry.create(authStorage);

const manager = new AgentManager<{ readonly tools: string[] }>({
	workspaces: worktreeProvider(),
	async createSession({ context, cwd, previous }) {
		// A resumed agent goes on in its own session.
		if (previous !== undefined) return previous;
		const sessionManager = SessionManager.inMemory(cwd);
		const { tools } = context;
		const common = { cwd, authStorage, modelRegistry, model, sessionManager, tools };
		return (await createAgentSession(common)).session;
	},
});

const limits = { maxTurns: 30 };
const worker = manager.spawn({
	...{ type: "worker", description: task.slice(0, 40), prompt: task, limits },
	context: { tools: ["read", "write", "edit", "bash"] },
	isolation: "worktree",
});
for (let round = 1; round <= ROUNDS; round++) {
	const { result = "", status } = await manager.wait(worker);
	console.log(`worker (${status}): ${result}`);
	const branch = manager.getWorkspace(worker)?.branch;
	if (branch === undefined) break;
	const review = await manager.spawnAndWait({
		type: "reviewer",
		description: `Review round ${round}`,
		prompt: `Look at \`git diff HEAD...${branch}\`. The task was: ${task}\nAnswer ${APPROVED}, or what to change.`,
		context: { tools: ["read", "bash"] },
		limits,
	});
	const verdict = review.result ?? "";
	console.log(`reviewer (${review.status}): ${verdict}`);
	if (verdict.includes(APPROVED) || review.status !== "completed" || round === ROUNDS) break;
	manager.resume(worker, { prompt: `A reviewer says:\n${verdict}` });
}
console.log(manager.getWorkspace(worker)?.text ?? "Nothing was changed.");
await manager.dispose();
