import { getMarkdownTheme, type Theme } from "@mariozechner/pi-coding-agent";
import {
	type Component,
	Container,
	Markdown,
	Text,
	truncateToWidth,
	visibleWidth,
} from "@mariozechner/pi-tui";
import { oneLine } from "../format.js";
import type { AgentView, ToolDetails } from "../tools/tool-result.js";

/** A tool result, as both hosts hand it to a renderer. */
interface RenderedResult {
	readonly content: readonly { readonly type: string; readonly text?: string }[];
	readonly details?: ToolDetails | undefined;
}

/** The line of a call: what is asked of whom. */
export function renderAgentCall(
	verb: string,
	args: Readonly<Record<string, unknown>> | undefined,
	theme: Theme,
): Component {
	const text = (name: string): string => {
		const value = args?.[name];
		return typeof value === "string" ? value : "";
	};
	const who = text("subagent_type") || text("agent_id") || (verb === "result" ? "all agents" : "");
	const what = text("description") || text("message");
	const title = theme.fg("toolTitle", theme.bold(`${verb} `));
	return fitted(
		new Text(
			`${title}${theme.fg("accent", oneLine(who, 40))} ${theme.fg("muted", oneLine(what, 80))}`.trimEnd(),
			0,
			0,
		),
	);
}

/** A live line while the agent runs, a final line by its outcome, and when expanded the text as Markdown. */
export function renderAgentResult(
	result: RenderedResult,
	options: { readonly expanded: boolean; readonly isPartial: boolean },
	theme: Theme,
): Component {
	const text = result.content.map((part) => part.text ?? "").join("\n");
	const agent = result.details?.agent;
	const card = new Container();
	if (agent === undefined) {
		// A refusal, a list, or details of another version: the text alone, with no status that might be false.
		const color = result.details?.failed === true ? "error" : "toolOutput";
		card.addChild(
			new Text(theme.fg(color, options.expanded ? plain(text) : oneLine(text, 200)), 0, 0),
		);
		return fitted(card);
	}
	const line = options.isPartial ? statusLine(agent, theme) : finalLine(agent, theme);
	card.addChild(new Text(line, 0, 0));
	if (options.expanded && !options.isPartial) {
		card.addChild(new Markdown(plain(text), 0, 0, getMarkdownTheme()));
	}
	return fitted(card);
}

/** The component without lines that are too wide, which both hosts refuse to draw: a wide character needs two columns. */
export function fitted(component: Component): Component {
	return {
		render: (width) =>
			component
				.render(width)
				.map((line) => (visibleWidth(line) <= width ? line : truncateToWidth(line, width, ""))),
		invalidate: () => component.invalidate(),
	};
}

/** A result stays on the screen as it is, so of an agent that goes on it says only what stays true. */
function finalLine(agent: AgentView, theme: Theme): string {
	if (agent.status !== "running" && agent.status !== "queued") return statusLine(agent, theme);
	const where = agent.status === "queued" ? "queued for the background" : "in the background";
	return `${theme.fg("dim", `▸ ${agent.id} ·`)} ${where}`;
}

/** `✓ a1b2c3d4 completed · 3 turns, 5 tool uses, 12.3k tokens` */
function statusLine(agent: AgentView, theme: Theme): string {
	const parts = [
		theme.fg("dim", agent.id),
		agent.activity ?? oneLine(agent.statusText, 160),
		...(agent.stats ? [theme.fg("muted", agent.stats)] : []),
	];
	return `${statusMark(agent.status, theme)} ${parts.join(theme.fg("dim", " · "))}`;
}

/** One character for a status: running, queued, and the five ways to end. */
export function statusMark(status: string, theme: Theme): string {
	switch (status) {
		case "running":
			return theme.fg("accent", "●");
		case "queued":
			return theme.fg("dim", "○");
		case "completed":
			return theme.fg("success", "✓");
		case "steered":
			return theme.fg("warning", "✓");
		case "aborted":
			return theme.fg("warning", "✗");
		case "stopped":
			return theme.fg("dim", "■");
		case "error":
			return theme.fg("error", "✗");
		default:
			return theme.fg("dim", "·");
	}
}

/** Without what a terminal would take as a command. */
export function plain(text: string): string {
	// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
	return text.replace(/\r\n?/g, "\n").replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "");
}
