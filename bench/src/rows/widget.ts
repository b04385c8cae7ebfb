import { Theme, type ThemeColor } from "@mariozechner/pi-coding-agent";
import { truncateToWidth } from "@mariozechner/pi-tui";
import { AgentManager, systemClock } from "@pi-subagents/runner";
import { mockSession } from "@pi-subagents/test-helpers";
import { compare, cpuTime } from "../compare.js";
import { createActivityStore, widgetLines } from "../extension-parts.js";
import { growth } from "../growth.js";
import type { Row } from "../result.js";

const WIDTH = 120;
const ROWS = 40;
const FRAMES = 50;

/** What one frame of the widget takes, and how that grows with the number of agents. */
export const measureWidget: Row = () =>
	growth("widget frame, against cutting its lines to the width,", "agents", async (size) => {
		const { source, stop } = runningAgents(size);
		const theme = plainTheme();
		const draw = () => widgetLines(source, theme, WIDTH, ROWS);
		const lines = draw();
		const { milliseconds } = await compare({
			baseline: timed(() => lines.map((line) => truncateToWidth(line, WIDTH))),
			ours: timed(draw),
			leastRounds: 25,
		});
		await stop();
		return milliseconds;
	});

function timed(draw: () => unknown) {
	return () => {
		const milliseconds = cpuTime(() => {
			for (let frame = 0; frame < FRAMES; frame++) draw();
		});
		return { milliseconds: milliseconds / FRAMES };
	};
}

/** Agents that run, each with a tool. */
function runningAgents(count: number) {
	const manager = new AgentManager({
		createSession: () =>
			Promise.resolve(
				mockSession({
					prompt(session) {
						const call = { toolCallId: "1", toolName: "read", args: { path: "src/index.ts" } };
						session.emit({ type: "tool_execution_start", ...call });
						return new Promise((resolve) => {
							session.signal.addEventListener("abort", () => resolve());
						});
					},
				}),
			),
		keepSessions: false,
		maxConcurrent: count,
	});
	const activities = createActivityStore(manager, systemClock);
	for (let index = 0; index < count; index++) {
		manager.spawn({
			type: "general-purpose",
			description: `Look at part ${index}`,
			prompt: "Do it.",
			context: undefined,
			background: true,
		});
	}
	const source = {
		agents: () => manager.listAgents(),
		activities,
		now: () => Date.now(),
		mode: "full",
	} as const;
	return {
		source,
		async stop() {
			await manager.dispose();
			activities.stop();
		},
	};
}

/** With the colours that the widget uses. */
function plainTheme(): Theme {
	const names: readonly ThemeColor[] = ["accent", "muted", "dim", "success", "warning", "error"];
	const colors = Object.fromEntries(names.map((name, index) => [name, index + 1]));
	return new Theme(colors as Record<ThemeColor, number>, {} as never, "256color");
}
