import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
	type AgentSession,
	AuthStorage,
	createAgentSession,
	ModelRegistry,
	SessionManager,
} from "@mariozechner/pi-coding-agent";
import { type MockSession, mockSession, modelsJson } from "@pi-subagents/test-helpers";
import { startModelProcess } from "./model-process.js";

/** Makes sessions of pi 0.73.1 in this process. */
export interface SessionFactory {
	create(): Promise<AgentSession>;
	close(): Promise<void>;
}

/** Sessions as a program makes them that shares its models among all; they ask a scripted model in another process. */
export async function startSessionFactory(): Promise<SessionFactory> {
	const model = await startModelProcess();
	const directory = await mkdtemp(join(tmpdir(), "pi-bench-"));
	await writeFile(join(directory, "models.json"), JSON.stringify(modelsJson(model)));
	const authStorage = AuthStorage.inMemory();
	const modelRegistry = ModelRegistry.create(authStorage, join(directory, "models.json"));
	const m1 = modelRegistry.find("mock", "m1");
	if (m1 === undefined) throw new Error("pi does not know the scripted model.");
	return {
		async create() {
			const { session } = await createAgentSession({
				cwd: directory,
				agentDir: directory,
				authStorage,
				modelRegistry,
				model: m1,
				sessionManager: SessionManager.inMemory(directory),
			});
			return session;
		},
		async close() {
			model.close();
			await rm(directory, { recursive: true });
		},
	};
}

/** A session without a host that plays one short turn when it is prompted. */
export function shortSession(): MockSession {
	return mockSession({
		prompt(session) {
			const message = { role: "assistant", content: "Done.", stopReason: "stop" };
			session.emit({ type: "agent_start" });
			session.emit({ type: "turn_start" });
			session.emit({ type: "message_start", message });
			session.emit({ type: "message_end", message });
			session.emit({ type: "turn_end", message, toolResults: [] });
			session.emit({ type: "agent_end" });
		},
	});
}
