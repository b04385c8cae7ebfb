import { getMarkdownTheme, type MessageRenderer } from "@mariozechner/pi-coding-agent";
import { Container, Markdown, Text } from "@mariozechner/pi-tui";
import type { NotificationDetails } from "../delivery/notification.js";
import { oneLine } from "../format.js";
import { statusMark } from "./cards.js";

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
		const name = `${theme.bold(oneLine(agent.type, 24))} ${oneLine(agent.description, 60)}`;
		card.addChild(new Text(`${statusMark(agent.status, theme)} ${name}`, 1, 0));
		if (expanded) card.addChild(new Markdown(agent.text, 3, 0, getMarkdownTheme()));
	}
	return card;
};
