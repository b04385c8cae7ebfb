import { stripVTControlCharacters } from "node:util";
import { truncateToWidth } from "@mariozechner/pi-tui";
import type { AgentRecord } from "@pi-subagents/core";
import { formatStats, formatStatus, oneLine } from "../../format.js";
import { activityText } from "../activity-text.js";
import { statusMark } from "../cards.js";
import { askMessage, askStop } from "./agent-actions.js";
import type { FleetSource, Transcript } from "./fleet-source.js";
import type { Panel, PanelHost, PanelTheme } from "./panel.js";
import { transcriptRenderer } from "./transcript-lines.js";

/** The conversation of one agent, which follows it while it works, until the person scrolls up. */
export function transcriptPanel(
	source: FleetSource,
	record: AgentRecord,
	host: PanelHost,
	{ theme, is }: PanelTheme,
	close: () => void,
): Panel {
	const draw = transcriptRenderer(theme);
	let stored: Transcript = { messages: [], live: undefined };
	let problem: string | undefined;
	/** The run whose stored conversation is shown or being read. */
	let readFor: string | undefined;
	let tools = false;
	let thinking = false;
	let top = 0;
	let follows = true;
	let page = 1;
	let lines: readonly string[] = [];
	let search = "";
	let found: number | undefined;

	/** The conversation as it is; where the session is closed it is read, and what was shown before stays meanwhile. */
	function transcript(): Transcript {
		const open = source.openTranscript(record);
		if (open !== undefined) {
			readFor = undefined;
			stored = { messages: [...open.messages], live: undefined };
			return open;
		}
		const run = `${record.runCount} ${record.status}`;
		if (readFor !== run) {
			readFor = run;
			source.storedTranscript(record).then(
				(messages) => {
					if (readFor !== run) return;
					if (messages.length > 0) stored = { messages, live: undefined };
					problem = undefined;
					host.redraw();
				},
				(error: unknown) => {
					problem = `Its conversation could not be read: ${error instanceof Error ? error.message : error}`;
					host.redraw();
				},
			);
		}
		return stored;
	}

	function scroll(by: number): void {
		const last = Math.max(0, lines.length - page);
		top = Math.max(0, Math.min(last, top + by));
		follows = top === last;
		host.redraw();
	}

	function find(step: 1 | -1): void {
		if (search === "") return;
		const wanted = search.toLowerCase();
		const count = lines.length;
		const from = found ?? (step === 1 ? top - 1 : top + page);
		for (let tries = 1; tries <= count; tries++) {
			const index = (((from + step * tries) % count) + count) % count;
			if (
				!stripVTControlCharacters(lines[index] ?? "")
					.toLowerCase()
					.includes(wanted)
			)
				continue;
			found = index;
			scroll(index - Math.floor(page / 2) - top);
			return;
		}
		found = undefined;
		host.say(`There is no ${JSON.stringify(search)} here.`);
	}

	function shownLine(line: string, index: number): string {
		return index === found ? theme.inverse(stripVTControlCharacters(line)) : line;
	}

	return {
		title(width) {
			const name = oneLine(record.description, 60) || oneLine(record.type, 30);
			const activity = source.activity(record.id);
			const state =
				record.status === "running" ? activityText(activity) : oneLine(formatStatus(record), 160);
			const stats = formatStats(record, source.now());
			const place =
				lines.length > page ? `${Math.min(lines.length, top + page)} of ${lines.length} lines` : "";
			const details = [oneLine(record.type, 30), record.id, stats, place]
				.filter(Boolean)
				.join(" · ");
			const color = record.status === "error" ? "error" : "muted";
			return [
				`${statusMark(record.status, theme)} ${theme.bold(name)} ${theme.fg(color, state)}`,
				theme.fg("dim", details),
				"",
			].map((line) => truncateToWidth(line, width, "…"));
		},
		body(width, rows) {
			page = rows;
			lines = draw(transcript(), width, { tools, thinking });
			const last = Math.max(0, lines.length - page);
			top = follows ? last : Math.min(top, last);
			const shown = lines.slice(top, top + page).map((line, index) => shownLine(line, top + index));
			if (shown.length === 0) {
				const empty =
					problem ?? (record.isTerminal ? "Nothing was said." : "Nothing has been said yet.");
				shown.push(theme.fg("muted", truncateToWidth(oneLine(empty, 300), width, "…")));
			}
			return shown;
		},
		keys: () => [
			record.isTerminal ? "m further task" : "m message",
			...(record.isTerminal ? [] : ["x stops"]),
			"/ search",
			...(search === "" ? [] : ["n next"]),
			tools ? "ctrl+o folds" : "ctrl+o unfolds",
			"ctrl+t thinking",
			...(record.result ? ["c copies"] : []),
			"f file",
			"esc back",
		],
		handle(data) {
			if (is(data, "tui.select.cancel") || is(data, "q")) close();
			else if (is(data, "tui.select.up")) scroll(-1);
			else if (is(data, "tui.select.down")) scroll(1);
			else if (is(data, "tui.select.pageUp")) scroll(-page);
			else if (is(data, "tui.select.pageDown") || is(data, "space")) scroll(page);
			else if (is(data, "home")) scroll(Number.NEGATIVE_INFINITY);
			else if (is(data, "end")) scroll(Number.POSITIVE_INFINITY);
			else if (is(data, "ctrl+o")) {
				tools = !tools;
				host.redraw();
			} else if (is(data, "ctrl+t")) {
				thinking = !thinking;
				host.redraw();
			} else if (is(data, "/")) {
				host.ask("Search", (text) => {
					search = text.trim();
					found = undefined;
					find(-1);
				});
			} else if (is(data, "n")) find(-1);
			else if (is(data, "shift+n")) find(1);
			else if (is(data, "m")) {
				// Who writes wants to see what comes of it.
				follows = true;
				askMessage(source, host, record);
			} else if (is(data, "x")) askStop(source, host, record);
			else if (is(data, "f")) host.say(record.sessionFile ?? "Its conversation is in no file.");
			else if (is(data, "c")) copy();
		},
	};

	function copy(): void {
		const { result } = record;
		if (!result) host.say("It has no result yet.");
		else {
			source.copy(result).then(
				() => host.say("Its result is in the clipboard."),
				(error: unknown) =>
					host.say(`It was not copied: ${error instanceof Error ? error.message : error}`),
			);
		}
	}
}
