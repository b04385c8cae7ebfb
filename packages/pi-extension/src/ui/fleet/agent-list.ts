import { truncateToWidth } from "@mariozechner/pi-tui";
import type { AgentRecord } from "@pi-subagents/core";
import { agentForest, type ForestRow } from "../agent-forest.js";
import { agentTable } from "../agent-table.js";
import { countsText } from "../counts.js";
import { askMessage, askStop, askStopAll } from "./agent-actions.js";
import type { FleetSource } from "./fleet-source.js";
import type { Panel, PanelHost, PanelTheme } from "./panel.js";

/** What else can be reached from the list, as it is written there. */
export const PLACES = {
	types: "Agent types",
	costs: "What they cost",
	worktrees: "Worktrees",
	settings: "Settings",
} as const;

/** A place outside of the view. */
export type Place = keyof typeof PLACES;

/** Where a person is in the view; it outlives the component, so that they come back to it. */
export interface FleetState {
	filter: string;
	/** The id of the agent, or the place, that is chosen. */
	chosen: string | undefined;
	/** The agent that is open. */
	open: string | undefined;
}

/** Where the list leads. */
export interface ListExits {
	open(record: AgentRecord): void;
	leaveFor(place: Place): void;
	close(): void;
}

type Item =
	| { readonly id: string; readonly row: ForestRow }
	| { readonly id: Place; readonly row?: undefined };

/** All agents as a tree, and the ways to everything else. */
export function agentList(
	source: FleetSource,
	state: FleetState,
	host: PanelHost,
	{ theme, is }: PanelTheme,
	exits: ListExits,
): Panel {
	function items(): readonly Item[] {
		const places = Object.keys(PLACES) as readonly Place[];
		return [
			...shownRows(source.agents(), state.filter).map((row) => ({ id: row.record.id, row })),
			...places.map((id) => ({ id })),
		];
	}

	function chosenIndex(all: readonly Item[]): number {
		return Math.max(
			0,
			all.findIndex(({ id }) => id === state.chosen),
		);
	}

	function move(by: number): void {
		const all = items();
		const next = Math.max(0, Math.min(all.length - 1, chosenIndex(all) + by));
		state.chosen = all[next]?.id;
		host.redraw();
	}

	function chosen(): Item | undefined {
		const all = items();
		return all[chosenIndex(all)];
	}

	return {
		title(width) {
			const counts = theme.fg("muted", countsText(source.agents()));
			const filter = state.filter === "" ? "" : theme.fg("warning", ` · filter: ${state.filter}`);
			return [
				truncateToWidth(
					`${theme.fg("accent", theme.bold("Agents"))} ${counts}${filter}`,
					width,
					"…",
				),
			];
		},
		body(width, height) {
			const all = items();
			// One for the blank line between the agents and the places.
			const rows = Math.max(1, height - 1);
			const at = chosenIndex(all);
			const from = Math.max(0, Math.min(at - Math.floor(rows / 2), all.length - rows));
			const shown = all.slice(from, from + rows);
			const agents = shown.flatMap(({ row }) =>
				row === undefined
					? []
					: [{ record: row.record, depth: row.depth, activity: source.activity(row.record.id) }],
			);
			const table = agentTable(
				agents,
				theme,
				width,
				source.now(),
				agents.findIndex(({ record }) => record.id === all[at]?.id),
			);
			const places = shown.flatMap((item) =>
				item.row === undefined ? [placeLine(item.id, item.id === all[at]?.id, width)] : [],
			);
			if (agents.length === 0 && from === 0 && rows > places.length) {
				const none =
					state.filter === "" ? " There are no agents yet." : " No agent matches the filter.";
				return [theme.fg("muted", truncateToWidth(none, width, "…")), ...places];
			}
			return [...table, ...(table.length > 0 && places.length > 0 ? [""] : []), ...places];
		},
		keys: () => ["enter opens", "/ filters", "m message", "x stops", "X all", "esc closes"],
		handle(data) {
			const item = chosen();
			if (is(data, "tui.select.up")) move(-1);
			else if (is(data, "tui.select.down")) move(1);
			else if (is(data, "tui.select.pageUp")) move(-10);
			else if (is(data, "tui.select.pageDown")) move(10);
			else if (is(data, "home")) move(Number.NEGATIVE_INFINITY);
			else if (is(data, "end")) move(Number.POSITIVE_INFINITY);
			else if (is(data, "/")) {
				host.ask(
					"Filter",
					(text) => {
						state.filter = text.trim();
						state.chosen = undefined;
					},
					state.filter,
				);
			} else if (is(data, "shift+x")) askStopAll(source, host);
			else if (is(data, "tui.select.cancel") || is(data, "q")) {
				if (state.filter === "") exits.close();
				else state.filter = "";
				host.redraw();
			} else if (item?.row === undefined) {
				if (item !== undefined && is(data, "tui.select.confirm")) exits.leaveFor(item.id);
			} else if (is(data, "tui.select.confirm")) exits.open(item.row.record);
			else if (is(data, "m")) askMessage(source, host, item.row.record);
			else if (is(data, "x")) askStop(source, host, item.row.record);
		},
	};

	function placeLine(place: Place, isChosen: boolean, width: number): string {
		const line = isChosen
			? theme.fg("accent", `→  ${PLACES[place]}`)
			: `   ${theme.fg("muted", PLACES[place])}`;
		return truncateToWidth(line, width, "…");
	}
}

/** The agents that match, below those above them; newest first. */
function shownRows(agents: readonly AgentRecord[], filter: string): readonly ForestRow[] {
	const wanted = filter.toLowerCase();
	const matches = ({ id, type, description, status }: AgentRecord): boolean =>
		[id, type, description, status].some((text) => text.toLowerCase().includes(wanted));
	return agentForest(agents.filter(matches).toReversed());
}
