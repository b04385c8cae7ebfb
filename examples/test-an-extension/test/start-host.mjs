// pi in RPC mode with the extension of this project and a scripted model. PI_CLI and PI_NODE choose another pi.
import { resolve } from "node:path";
import { createTestHost, startModelServer } from "@pi-subagents/test-helpers";

const installed = "node_modules/@mariozechner/pi-coding-agent/dist/cli.js";

export async function startHost() {
	const server = await startModelServer();
	const host = await createTestHost({
		mode: "rpc",
		cli: resolve(process.env.PI_CLI ?? installed),
		node: process.env.PI_NODE ?? process.execPath,
		extensions: [resolve("greeting.ts")],
		server,
	});
	const close = async () => {
		await host.dispose();
		await server.close();
	};
	return { close, host, server };
}

/** What the model is told of the greeting when it calls the tool. */
export async function greet({ host, server }) {
	const steps = [{ tools: [{ name: "greet", args: { name: "Ada" } }] }, { text: "I greeted her." }];
	const { text } = await host.prompt(`Greet Ada. @@${JSON.stringify(steps)}@@`);
	return { text, result: server.requests.at(-1).messages.at(-1).content };
}
