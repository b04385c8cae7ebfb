import type { ExtensionUIContext, Theme } from "@mariozechner/pi-coding-agent";
import { truncateToWidth } from "@mariozechner/pi-tui";
import type { AgentRecord } from "@pi-subagents/core";
import { agentView } from "../agent-view.js";
import { oneLine, plural } from "../format.js";
import type { Settings } from "../settings.js";
import type { ActivityStore } from "./activity-store.js";
import { statusMark } from "./cards.js";

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

/**
 * Shows the agents above the editor, in the TUI. It draws only when something changed and, while an agent is alive,
 * once a second for the clock. Returns the end of it.
 */
export function showWidget(ui: ExtensionUIContext, source: WidgetSource): () => void {
	if (source.mode === "off") return () => {};
	let requestRender: (() => void) | undefined;
	let linger: NodeJS.Timeout | undefined;

	function update(): void {
		const shown = visibleAgents(source);
		clearTimeout(linger);
		if (shown.length === 0) {
			if (requestRender) ui.setWidget(KEY, undefined);
			requestRender = undefined;
			return;
		}
		const leaving = nextToLeave(shown, source.now());
		if (leaving !== undefined) linger = setTimeout(update, leaving).unref();
		if (requestRender) {
			requestRender();
			return;
		}
		ui.setWidget(KEY, (tui, theme) => {
			requestRender = () => tui.requestRender();
			return {
				render: (width) => widgetLines(source, theme, width, tui.terminal.rows),
				invalidate: () => {},
			};
		});
	}

	const stop = source.activities.subscribe(update);
	update();
	return () => {
		stop();
		clearTimeout(linger);
		if (requestRender) ui.setWidget(KEY, undefined);
		requestRender = undefined;
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
	const now = source.now();
	const running = agents.filter((agent) => agent.status === "running").length;
	const queued = agents.filter((agent) => agent.status === "queued").length;
	const counts = [
		...(running > 0 ? [`${running} running`] : []),
		...(queued > 0 ? [`${queued} queued`] : []),
		...(agents.length > running + queued ? [`${agents.length - running - queued} ended`] : []),
	].join(", ");
	const title = `${theme.fg("accent", "Agents")} ${theme.fg("muted", counts)}`;
	const room = source.mode === "compact" ? 0 : Math.max(2, Math.min(12, Math.floor(rows / 3))) - 1;
	const fits = agents.length <= room;
	const shown = agents.slice(0, fits ? agents.length : Math.max(0, room - 1));
	const hidden = agents.length - shown.length;
	const lines = [
		title,
		...shown.map((record) => agentLine(record, source, theme, now)),
		...(hidden > 0 && room > 0 ? [theme.fg("dim", `  and ${plural(hidden, "agent")} more`)] : []),
	];
	return lines.map((line) => truncateToWidth(line, width));
}

function agentLine(
	record: AgentRecord,
	source: Pick<WidgetSource, "activities">,
	theme: Theme,
	now: number,
): string {
	const view = agentView(record, now, source.activities.get(record.id));
	const what = view.activity ?? oneLine(view.statusText, 60);
	const name = theme.bold(oneLine(record.type, 24));
	const dot = theme.fg("dim", " · ");
	const tail = [theme.fg("muted", what), ...(view.stats ? [theme.fg("dim", view.stats)] : [])].join(
		dot,
	);
	return ` ${statusMark(record.status, theme)} ${name} ${oneLine(record.description, 40)}${dot}${tail}`;
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
