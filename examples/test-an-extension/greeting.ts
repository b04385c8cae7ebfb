import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";

/** Gives the model a tool that greets, and counts its turns. */
export default function greeting(pi: ExtensionAPI): void {
	countTurns(pi);
	pi.registerTool({
		name: "greet",
		label: "Greet",
		description: "Greets somebody.",
		parameters: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
		async execute(_id, { name }: { name: string }) {
			const text = `Hello, ${name}!`;
			return { content: [{ type: "text", text }], details: undefined };
		},
	});
}

function countTurns(pi: ExtensionAPI): void {
	let turns = 0;
	pi.on("turn_end", () => void turns++);
	pi.registerCommand("turns", {
		description: "How many turns there were",
		handler: async (_args, ctx) => ctx.ui.notify(`${turns} turns`),
	});
}
