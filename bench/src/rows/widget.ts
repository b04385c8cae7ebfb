import {
	AssistantMessageComponent,
	initTheme,
	Theme,
	type ThemeColor,
} from "@mariozechner/pi-coding-agent";
import { truncateToWidth } from "@mariozechner/pi-tui";
import { AgentManager, type Clock, systemClock } from "@pi-subagents/runner";
import { type MockSession, mockSession } from "@pi-subagents/test-helpers";
import { compare, cpuTime } from "../compare.js";
import { createActivityStore, widgetLines } from "../extension-parts.js";
import { growth } from "../growth.js";
import type { Result, Row } from "../result.js";

const WIDTH = 120;
const ROWS = 40;
const FRAMES = 50;

/** What a frame of the widget takes with many agents, and what a second takes in which some of them write. */
export const measureWidget: Row = async () => [...(await measureFrames()), await measureDeltas()];

/** What one frame takes, and how that grows with the number of agents. */
const measureFrames: Row = () =>
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

const WRITERS = 16;
const DELTAS = 60;

/** A second in which 16 agents write 60 pieces of text each, against one in which pi alone shows one that does. */
async function measureDeltas(): Promise<Result> {
	const clock = manualClock();
	const { source, sessions, stop } = runningAgents(WRITERS, clock);
	// Sessions are made in microtasks.
	await new Promise(setImmediate);
	const theme = plainTheme();
	source.activities.subscribe(() => widgetLines(source, theme, WIDTH, ROWS));
	const second = (): void => {
		for (const session of sessions) session.emit(assistantStart);
		for (let delta = 0; delta < DELTAS; delta++) {
			for (const session of sessions) session.emit(textDelta);
			clock.advance(1000 / DELTAS);
		}
	};
	initTheme("dark");
	const { share } = await compare({
		baseline: () => ({ share: cpuTime(plainSecond) / 10 }),
		ours: () => ({ share: cpuTime(second) / 10 }),
		leastRounds: 15,
	});
	await stop();
	const { baseline, ours, ratio } = share;
	return {
		what: "60 pieces of text a second from 16 agents in the widget, against one message in pi",
		unit: "% of a core",
		...{ baseline, ours, ratio },
		limit: { of: "ours", most: 5 },
	};
}

const PIECE = "some words ";
const assistantStart = {
	type: "message_start",
	message: { role: "assistant", content: [] },
} as const;
const textDelta = {
	type: "message_update",
	message: { role: "assistant", content: [] },
	assistantMessageEvent: { type: "text_delta", delta: PIECE },
} as const;

/** How pi shows a message that grows. */
function plainSecond(): void {
	const message = { role: "assistant", content: [{ type: "text", text: "" }] };
	const component = new AssistantMessageComponent();
	for (let delta = 1; delta <= DELTAS; delta++) {
		const content = [{ type: "text", text: PIECE.repeat(delta) }];
		component.updateContent({ ...message, content } as never);
		component.render(WIDTH);
	}
}

/** A clock that stands still but when it is told to go on. */
function manualClock(): Clock & { advance(ms: number): void } {
	const timers = new Set<{ readonly at: number; readonly callback: () => void }>();
	let now = Date.now();
	return {
		now: () => now,
		setTimeout(callback, ms) {
			const timer = { at: now + ms, callback };
			timers.add(timer);
			return () => void timers.delete(timer);
		},
		advance(ms) {
			now += ms;
			for (const timer of [...timers]) {
				if (timer.at > now) continue;
				timers.delete(timer);
				timer.callback();
			}
		},
	};
}

/** Agents that run, each with a tool. */
function runningAgents(count: number, clock: Clock = systemClock) {
	const sessions: MockSession[] = [];
	const manager = new AgentManager({
		createSession: () =>
			Promise.resolve(
				mockSession({
					prompt(session) {
						sessions.push(session);
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
	const activities = createActivityStore(manager, clock);
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
		sessions,
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
