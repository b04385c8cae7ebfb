import { expect, test } from "vitest";
import { delegate, onBothHosts, requestsOf, script, toolResults } from "./child-host.js";

/** An extension with one tool that answers with a text. */
const tool = (name: string, body = ""): string => `
	export default function (pi) {
		const register = (name, text = name) => pi.registerTool({
			name, label: name, description: name,
			parameters: { type: "object", properties: {} },
			execute: async () => ({ content: [{ type: "text", text }], details: {} }),
		});
		${body || `register(${JSON.stringify(name)});`}
	}`;
const LATE = tool(
	"late",
	`register("tool_x");
	let timer;
	pi.on("session_start", () => { timer = setTimeout(() => register("tool_y"), 300); });
	pi.on("session_shutdown", () => clearTimeout(timer));
	pi.on("before_agent_start", () => register("tool_z"));`,
);
const BROKEN = `
	globalThis.brokenLoads = (globalThis.brokenLoads ?? 0) + 1;
	const loads = globalThis.brokenLoads;
	export default function (pi) {
		globalThis.brokenRuns = (globalThis.brokenRuns ?? 0) + 1;
		if (globalThis.brokenRuns > 1) throw new Error("broken in the factory");
	}`;
const STARTING = `
	export default function (pi) {
		pi.on("session_start", () => {
			globalThis.starts = (globalThis.starts ?? 0) + 1;
			if (globalThis.starts > 1) throw new Error("broken at the start");
		});
	}`;
const FLAGGED = tool(
	"flagged",
	`pi.registerFlag("plan", { type: "boolean", description: "plan" });
	pi.registerFlag("level", { type: "string", description: "level" });
	pi.on("session_start", () => register("flags", String(pi.getFlag("plan")) + " " + pi.getFlag("level")));`,
);

const agent = (...lines: readonly string[]): string =>
	["---", "description: d", ...lines, "---", "Work."].join("\n");

onBothHosts("extensions in children", (world, name) => {
	test("children load the parent's extensions as chosen, flags and late tools included, and say what fails (PERM-12) (LIFECYCLE-04) (LIFECYCLE-07) (LIFECYCLE-09)", async () => {
		const host = await world.rpc({
			others: {
				"alpha.ts": tool("alpha"),
				"beta.ts": tool("beta"),
				"gamma.ts": tool("gamma"),
				"late.ts": LATE,
				"broken.ts": BROKEN,
				"starting.ts": STARTING,
				"flagged.ts": FLAGGED,
			},
			args: ["--plan", "--level", "high"],
			subagents: { excludeExtensions: ["gam*"], maxConcurrent: 20 },
			agentFiles: {
				all: agent(),
				only: agent("extensions: beta, delta"),
				but: agent("exclude_extensions: alpha"),
				alone: agent("isolated: true"),
				none: agent("extensions: none"),
				listed: agent("tools: read, tool_x, tool_y, tool_z"),
			},
		});
		const types = ["all", "only", "but", "alone", "none"];
		const late = script(
			{
				tools: [
					{ name: "tool_x" },
					{ name: "tool_z" },
					{ name: "flags" },
					{ name: "bash", args: { command: "sleep 1" } },
				],
			},
			{ tools: [{ name: "tool_y" }] },
			{ text: "had all" },
		);
		const listed = script(
			{
				tools: [{ name: "tool_x" }, { name: "tool_z" }],
				slow: { chunks: 5, ms: 200 },
				text: "12345",
			},
			{ tools: [{ name: "tool_y" }, { name: "bash", args: { command: "echo no" } }] },
			{ text: "had all" },
		);
		await host.prompt(
			`m ${script(
				{
					tools: [
						...types.map((type) => delegate(`EXT-${type} `, { subagent_type: type })),
						delegate("EXT-call ", { subagent_type: "all", isolated: true }),
						delegate(`EXT-late ${late}`, { subagent_type: "all" }),
						delegate(`EXT-listed ${listed}`, { subagent_type: "listed" }),
					],
				},
				{ text: "end" },
			)}`,
		);
		const tools = (task: string): readonly string[] =>
			["alpha", "beta", "gamma", "tool_x", "flags"].filter((each) =>
				requestsOf(world.server, `${task} `)[0]?.tools.includes(each),
			);
		expect(tools("EXT-all")).toEqual(["alpha", "beta", "tool_x", "flags"]);
		expect(tools("EXT-only")).toEqual(["beta"]);
		expect(tools("EXT-but")).toEqual(["beta", "tool_x", "flags"]);
		expect(tools("EXT-alone")).toEqual([]);
		expect(tools("EXT-none")).toEqual([]);
		// A call narrows the tools; gates that are extensions stay.
		expect(tools("EXT-call")).toEqual([]);

		const lateResults = toolResults(requestsOf(world.server, "EXT-late ").at(-1));
		expect(lateResults).toEqual(["tool_x", "tool_z", "true high", "(no output)", "tool_y"]);
		const listedResults = toolResults(requestsOf(world.server, "EXT-listed ").at(-1));
		expect(listedResults.slice(0, 3)).toEqual(["tool_x", "tool_z", "tool_y"]);
		expect(listedResults[3]).toContain("bash");
		expect(listedResults[3]).not.toContain("no\n");

		const results = toolResults(requestsOf(world.server, "m ").at(-1));
		expect(results[0]).toMatch(/Note: The extension .*broken\.ts failed: .*broken in the factory/);
		expect(results[0]).toMatch(/Note: The extension .*starting\.ts failed: broken at the start/);
		expect(results[1]).toContain("Note: The extension delta is not one of the session's.");
		const notices = host.events.filter(
			(event) => event.type === "extension_ui_request" && event.method === "notify",
		);
		const inAll = notices.filter(
			(event) =>
				String(event.message).startsWith('In "all: ') &&
				String(event.message).includes("starting.ts"),
		);
		expect(inAll).toHaveLength(1);
	});

	test("tools of a shared extension run in the main session on the current host, and in the child on the released one", async () => {
		const connection = `
			globalThis.connections = globalThis.connections ?? 0;
			export default function (pi) {
				const mine = ++globalThis.connections;
				let calls = 0;
				const register = (name, execute) => pi.registerTool({
					name, label: name, description: name,
					parameters: { type: "object", properties: { text: { type: "string" } } },
					execute,
				});
				register("count", async (id, args, signal, onUpdate, ctx) =>
					({ content: [{ type: "text", text: mine + "/" + ++calls + " " + args.text }], details: { kept: true } }));
				register("fails", async () => { throw new Error("no connection"); });
				register("asks", async (id, args, signal, onUpdate, ctx) =>
					({ content: [{ type: "text", text: "answered " + (await ctx.ui.confirm("Share?", "x")) }], details: {} }));
				let timer;
				pi.on("session_shutdown", () => clearTimeout(timer));
				pi.on("session_start", () => { timer = setTimeout(() => register("slow_server", async () =>
					({ content: [{ type: "text", text: "connected" }], details: {} })), 1500); });
			}`;
		const host = await world.rpc({
			others: { "connection.ts": connection },
			subagents: { sharedExtensions: ["connection"] },
		});
		const count = (text: string) => ({ name: "count", args: { text } });
		const task = script(
			{ tools: [count("a"), count("b"), { name: "fails" }] },
			{ tools: [{ name: "bash", args: { command: "sleep 2" } }] },
			{ tools: [{ name: "slow_server" }, { name: "asks" }] },
			{ text: "end" },
		);
		const running = host.prompt(
			`s ${script({ tools: [delegate(`SHARE-1 ${task}`), delegate(`SHARE-2 ${task}`)] }, { text: "end" })}`,
		);
		for (let answered = 0, from = 0; answered < 2; answered++) {
			const dialog = await host.waitFor(
				(event) => event.type === "extension_ui_request" && event.method === "confirm",
				from,
			);
			from = host.events.indexOf(dialog) + 1;
			host.respond(dialog, { confirmed: true });
		}
		await running;
		const results = ["SHARE-1", "SHARE-2"].map((each) =>
			toolResults(requestsOf(world.server, each).at(-1)),
		);
		for (const each of results) {
			expect(each[2]).toContain("no connection");
			// 0.73.1 offers a model, in children as elsewhere, only tools that were there when its run began.
			const late = name === "current" ? "connected" : "Tool slow_server not found";
			expect(each.slice(4)).toEqual([late, "answered true"]);
		}
		const counts = results.flatMap((each) => each.slice(0, 2)).sort();
		if (name === "current") {
			// One connection, whose calls are counted over both children.
			expect(counts.map((text) => text.slice(0, 3))).toEqual(["1/1", "1/2", "1/3", "1/4"]);
		} else {
			// A connection for each child.
			expect(counts.map((text) => text.slice(0, 3))).toEqual(["2/1", "2/2", "3/1", "3/2"]);
		}
	});
});
