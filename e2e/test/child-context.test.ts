import { modelsJson } from "@pi-subagents/test-helpers";
import { expect, test } from "vitest";
import { delegate, onBothHosts, script } from "./child-host.js";

/** One pixel. */
const PNG =
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

onBothHosts("inherited conversations", (world, name) => {
	test.each(["text", "fork"] as const)(
		"as a %s: the task is last and apart, calls are paired, images are there, and who did not ask has nothing (CONTEXT-02) (CONTEXT-08)",
		async (inheritedContext) => {
			const models = modelsJson(world.server);
			const seeing = Object.fromEntries(
				Object.entries(models.providers).map(([id, provider]) => [
					id,
					{
						...provider,
						models: provider.models.map((model) => ({ ...model, input: ["text", "image"] })),
					},
				]),
			);
			const host = await world.rpc({
				subagents: { inheritedContext },
				agentDirFiles: { "models.json": JSON.stringify({ providers: seeing }) },
			});
			const sent = await host.send({
				type: "prompt",
				message: "SECRET-PLAN then deploy",
				images: [{ type: "image", data: PNG, mimeType: "image/png" }],
			});
			expect(sent.success).toBe(true);
			const over = name === "current" ? "agent_settled" : "agent_end";
			await host.waitFor((event) => event.type === over);
			const heir = delegate(`HEIR-${inheritedContext}`, { inherit_context: true });
			const fresh = delegate(`FRESH-${inheritedContext}`);
			await host.prompt(`go ${script({ text: "both", tools: [heir, fresh] }, { text: "end" })}`);

			const last = (text: string) =>
				world.server.requests.find(({ lastUserText }) => lastUserText.endsWith(text));
			const inherited = last(`HEIR-${inheritedContext}`);
			expect(inherited?.lastUserText).toMatch(/^Everything above is background/);
			expect(inherited?.lastUserText).not.toContain("SECRET-PLAN");
			expect(inherited?.roles[0]).toBe("system");
			const all = JSON.stringify(inherited?.messages);
			expect(all).toContain("SECRET-PLAN then deploy");
			expect(all).toContain(PNG);
			// The calls that are going on, and with them the other agent's task, are not handed on.
			expect(inherited?.roles).not.toContain("tool");
			expect(inherited?.messages.some((message) => message.tool_calls !== undefined)).toBe(false);

			const bare = last(`FRESH-${inheritedContext}`);
			expect(bare?.roles).toEqual(["system", "user"]);
			await host.dispose();
		},
	);
});
