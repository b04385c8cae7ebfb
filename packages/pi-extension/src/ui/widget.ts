import type { ExtensionUIContext, Theme } from "@mariozechner/pi-coding-agent";
import { truncateToWidth } from "@mariozechner/pi-tui";
import type { AgentRecord } from "@pi-subagents/core";
import type { Clock } from "@pi-subagents/runner";
import type { Settings } from "../settings.js";
import type { ActivityStore } from "./activity-store.js";
import { agentForest } from "./agent-forest.js";
import { agentTable } from "./agent-table.js";
import { countsText } from "./counts.js";

const KEY = "subagents";
/** How long an ended agent stays in the widget. */
const LINGER_MS = 30_000;

/** What the widget shows. */
export interface WidgetSource {
	readonly agents: () => readonly AgentRecord[];
	readonly activities: ActivityStore;
	readonly now: () => number;
	readonly mode: Settings["widget"];
}

/** A widget that is shown. */
export interface Widget {
	/** Takes it from the screen while something else shows the agents. */
	setHidden(hidden: boolean): void;
	/** Something other than the agents has changed. */
	refresh(): void;
	stop(): void;
}

/**
 * Shows the agents above the editor, in the TUI. It draws only when something changed and, while an agent is alive,
 * once a second for the clock.
 */
export function showWidget(
	ui: ExtensionUIContext,
	source: Omit<WidgetSource, "now">,
	clock: Clock,
): Widget {
	let requestRender: (() => void) | undefined;
	let cancelLinger = (): void => {};
	let hidden = false;
	const whole: WidgetSource = { ...source, now: () => clock.now() };

	function update(): void {
		const shown = hidden || source.mode === "off" ? [] : visibleAgents(whole);
		cancelLinger();
		if (shown.length === 0) {
			if (requestRender) ui.setWidget(KEY, undefined);
			requestRender = undefined;
			return;
		}
		const leaving = nextToLeave(shown, clock.now());
		if (leaving !== undefined) cancelLinger = clock.setTimeout(update, leaving);
		if (requestRender) {
			requestRender();
			return;
		}
		ui.setWidget(KEY, (tui, theme) => {
			requestRender = () => tui.requestRender();
			return {
				render: (width) => widgetLines(whole, theme, width, tui.terminal.rows),
				invalidate: () => {},
			};
		});
	}

	const stopListening = source.activities.subscribe(update);
	update();
	return {
		setHidden(value) {
			hidden = value;
			update();
		},
		refresh: update,
		stop() {
			stopListening();
			hidden = true;
			update();
		},
	};
}

/** The lines of the widget: at most a third of the terminal, the last one counting what is hidden. */
export function widgetLines(
	source: Pick<WidgetSource, "agents" | "activities" | "now" | "mode">,
	theme: Theme,
	width: number,
	rows: number,
): string[] {
	const agents = visibleAgents(source);
	const counts = countsText(agents);
	const title = `${theme.fg("accent", "Agents")} ${theme.fg("muted", counts)}${theme.fg("dim", " · /agents")}`;
	const room = source.mode === "compact" ? 0 : Math.max(2, Math.min(12, Math.floor(rows / 3))) - 1;
	const fits = agents.length <= room;
	const shown = agentForest(agents).slice(0, fits ? agents.length : Math.max(0, room - 1));
	const hidden = agents.length - shown.length;
	const table = shown.map(({ record, depth }) => ({
		record,
		depth,
		activity: source.activities.get(record.id),
	}));
	const more = hidden > 0 && room > 0 ? [theme.fg("dim", ` and ${hidden} more`)] : [];
	return [
		truncateToWidth(title, width, "…"),
		...agentTable(table, theme, width, source.now()),
		...more.map((line) => truncateToWidth(line, width, "…")),
	];
}

/** Running first, then queued, then those that ended a moment ago. */
function visibleAgents(source: Pick<WidgetSource, "agents" | "now">): readonly AgentRecord[] {
	const now = source.now();
	const rank = (record: AgentRecord): number =>
		record.status === "running" ? 0 : record.status === "queued" ? 1 : 2;
	return source
		.agents()
		.filter((record) => !record.isTerminal || now - (record.completedAt ?? 0) < LINGER_MS)
		.toSorted((a, b) => rank(a) - rank(b));
}

/** Milliseconds until the first ended agent leaves, if there is one. */
function nextToLeave(agents: readonly AgentRecord[], now: number): number | undefined {
	const times = agents.flatMap((record) =>
		record.isTerminal && record.completedAt !== undefined
			? [record.completedAt + LINGER_MS - now]
			: [],
	);
	return times.length === 0 ? undefined : Math.max(0, Math.min(...times)) + 1;
}
