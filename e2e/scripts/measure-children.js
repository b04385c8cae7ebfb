// What it takes to make a child session, from `subagents:child:spawning` to `bound`, next to a raw session of the same host,
// by turns in one process; and what a hundred children leave on the heap. Build first.
//
//     node e2e/scripts/measure-children.js
import { join } from "node:path";
import { createTestHost, startModelServer } from "@pi-subagents/test-helpers";
import { currentHost, releasedHost } from "../dist/index.js";
import { projectFolder } from "../dist/paths.js";

const ROUNDS = 40;
const measure = join(projectFolder, "e2e", "test", "fixtures", "measure.ts");
const extension = join(projectFolder, "packages", "pi-extension", "dist", "extension.js");

for (const host of [releasedHost(), await currentHost()]) {
	const server = await startModelServer();
	const run = await createTestHost({
		mode: "rpc",
		server,
		cli: host.cli,
		node: host.node,
		extensions: [extension, measure],
		agentFiles: { bare: "---\ndescription: d\nextensions: none\n---\nWork." },
	});
	try {
		const child = {
			name: "subagent",
			args: { prompt: "x", description: "x", subagent_type: "bare" },
		};
		const turns = Array.from({ length: ROUNDS }, () => [
			{ tools: [{ name: "raw" }] },
			{ tools: [child] },
		]);
		const steps = [...turns.flat(), { tools: [{ name: "spawned" }] }, { text: "end" }];
		server.script("measure", steps);
		await run.prompt("measure @@#measure#@@");
		const results = server.requests
			.findLast((request) => request.messages.some(({ role }) => role === "tool"))
			.messages.filter(({ role }) => role === "tool")
			.map(({ content }) => (typeof content === "string" ? content : content[0].text));
		const raw = results.filter((text) => /^[\d.]+$/.test(text)).map(Number);
		const ours = JSON.parse(results.at(-1));
		const [a, b] = [median(raw.slice(5)), median(ours.slice(5))];
		console.log(
			`${host.version}: a raw session ${a.toFixed(2)} ms, a child ${b.toFixed(2)} ms, ${(b / a).toFixed(2)} times (median of ${ROUNDS - 5})`,
		);
	} finally {
		await run.dispose();
		await server.close();
	}
}

function median(values) {
	const sorted = values.toSorted((a, b) => a - b);
	return sorted[Math.floor(sorted.length / 2)];
}
