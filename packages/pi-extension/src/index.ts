import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import { isInsideChild } from "./child/child-marker.js";
import { registerCommands } from "./commands/register-commands.js";
import { NOTIFICATION_TYPE } from "./delivery/notification.js";
import { createParentSession } from "./parent-session.js";
import { renderNotificationCard } from "./ui/notification-card.js";

/** Registers the sub-agent tools and commands in a session of pi; in a child's session it registers nothing. */
export default function piSubagents(pi: ExtensionAPI): void {
	if (isInsideChild()) return;

	const session = createParentSession(pi);
	pi.registerMessageRenderer(NOTIFICATION_TYPE, renderNotificationCard);
	registerCommands(pi, session.commandContext);

	pi.on("session_start", (_, ctx) => session.start(ctx));
	pi.on("session_shutdown", (event) => session.shutdown(event.reason));
}
