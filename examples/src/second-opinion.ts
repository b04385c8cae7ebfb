// An extension of pi that lets sub-agents do a part of its work, through the service of @pi-subagents/pi-extension.
// `/opinions <claim>` asks two agents at the same time and puts what they say into the conversation.
import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import {
	getSubagentsService,
	type SubagentsService,
	withSubagentsService,
} from "@pi-subagents/pi-extension/service";

/** What the agents may do at most. */
const LOOKING = { tools: ["read", "grep", "find", "ls"], limits: { maxTurns: 15 } };

export default function secondOpinion(pi: ExtensionAPI): void {
	// A type lives as long as the session, so it is registered for each one, and after each reload.
	withSubagentsService(pi, (service) => {
		const prompt = "Look for what is wrong with the claim. Name files and lines. Be brief.";
		const description = "Looks for what is wrong with a claim.";
		service.registerType({ name: "Skeptic", description, prompt, ...LOOKING }, "second-opinion");
	});

	pi.registerCommand("opinions", {
		description: "What two agents say about a claim",
		async handler(claim, ctx) {
			const found = getSubagentsService();
			if (!found.ok) return ctx.ui.notify(found.message, "warning");
			const types = ["Skeptic", "Explore"];
			const opinions = await Promise.all(types.map((type) => ask(found.service, type, claim)));
			pi.sendMessage({ customType: "opinions", content: opinions.join("\n\n"), display: true });
		},
	});
}

async function ask(service: SubagentsService, type: string, claim: string): Promise<string> {
	const begun = await service.spawn({ type, description: "a second opinion", prompt: claim });
	if (!begun.ok) return `${type}: ${begun.message}`;
	const ended = await service.wait(begun.agent.id);
	if (!ended.ok) return `${type}: ${ended.message}`;
	const { error, result, status } = ended.agent;
	return `${type} (${status}): ${result ?? error ?? "no answer"}`;
}
