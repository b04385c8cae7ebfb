import { getMarkdownTheme, type MessageRenderer, type Theme } from "@mariozechner/pi-coding-agent";
import { Container, Markdown, Text } from "@mariozechner/pi-tui";
import type { NotificationDetails } from "../delivery/notification.js";
import { oneLine } from "../format.js";
import { fitted, plain, statusMark } from "./cards.js";

/** One line for each ended agent; the reports when expanded. */
export const renderNotificationCard: MessageRenderer<NotificationDetails> = (
	message,
	{ expanded },
	theme,
) => {
	const agents = message.details?.agents ?? [];
	if (agents.length === 0) return undefined;
	const card = new Container();
	for (const agent of agents) {
		card.addChild(new Text(endedLine(agent, theme), 1, 0));
		if (expanded) card.addChild(new Markdown(plain(agent.text), 3, 0, getMarkdownTheme()));
	}
	return fitted(card);
};

/** `✓ Count the tests · completed · 2 turns, 3 tool uses, 4.1k tokens` */
function endedLine(agent: NotificationDetails["agents"][number], theme: Theme): string {
	const name = oneLine(agent.description, 60) || oneLine(agent.type, 24);
	const color = agent.status === "error" ? "error" : "muted";
	const parts = [
		theme.bold(name),
		theme.fg(color, oneLine(agent.statusText, 160)),
		...(agent.stats ? [theme.fg("dim", agent.stats)] : []),
	];
	return `${statusMark(agent.status, theme)} ${parts.join(theme.fg("dim", " · "))}`;
}
