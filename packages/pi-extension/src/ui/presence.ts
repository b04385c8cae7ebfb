import type { ExtensionAPI, ExtensionContext } from "@mariozechner/pi-coding-agent";
import type { KeyId } from "@mariozechner/pi-tui";
import type { AgentManager, Clock } from "@pi-subagents/runner";
import { hostMode } from "../host/host-mode.js";
import type { MentionName } from "../mentions.js";
import type { Settings } from "../settings.js";
import type { ActivityStore } from "./activity-store.js";
import { createAttention } from "./attention.js";
import { mentionCompletion } from "./mention-completion.js";
import { statusLine } from "./status-line.js";
import { showWidget, type Widget } from "./widget.js";

/** What is on the screen as long as a session lasts. */
export interface Presence {
	/** Does nothing outside of the terminal; a second call replaces the first. */
	start(ctx: ExtensionContext): void;
	/** The settings have changed. */
	refresh(): void;
	/** Takes the widget from the screen while something else shows the agents. */
	hideWidget(hidden: boolean): void;
	stop(): void;
}

/** What it is made of. */
export interface PresenceParts {
	readonly pi: ExtensionAPI;
	readonly manager: Pick<AgentManager<never>, "listAgents" | "subscribe">;
	readonly activities: ActivityStore;
	readonly clock: Clock;
	readonly settings: () => Settings;
	readonly mentionNames: () => readonly MentionName[];
	readonly openAgents: (ctx: ExtensionContext) => Promise<void>;
}

/** Widget, status line, completion of names, shortcut, and what tells of the end. */
export function createPresence(parts: PresenceParts): Presence {
	const { pi, manager, activities, clock, settings } = parts;
	let widget: Widget | undefined;
	let refresh = (): void => {};
	let attention: ReturnType<typeof createAttention> | undefined;
	let shortcut: string | undefined;

	pi.on("agent_start", () => attention?.seen());
	manager.subscribe(({ type }) => {
		if (type === "run_ended") attention?.ended(manager.listAgents());
	});

	function stop(): void {
		widget?.stop();
		widget = undefined;
		attention = undefined;
		refresh = () => {};
	}

	/** A key that is registered stays so; the person may have others in mind after the next start. */
	function register(key: string): void {
		if (key === "off" || key === shortcut) return;
		shortcut = key;
		pi.registerShortcut(key as KeyId, {
			description: "Sub-agents",
			handler: (ctx) => parts.openAgents(ctx),
		});
	}

	return {
		start(ctx) {
			stop();
			if (hostMode(ctx) !== "tui") return;
			const { ui, cwd } = ctx;
			const line = statusLine(ui);
			const showLine = (): void => line.show(manager.listAgents(), settings().statusLine);
			const stopListening = activities.subscribe(showLine);
			const shown = showWidget(
				ui,
				{
					agents: () => manager.listAgents(),
					activities,
					get mode() {
						return settings().widget;
					},
				},
				clock,
			);
			widget = {
				...shown,
				stop() {
					stopListening();
					line.show([], false);
					shown.stop();
				},
			};
			refresh = () => {
				showLine();
				shown.refresh();
			};
			attention = createAttention({
				ui,
				cwd,
				mode: () => settings().onEnd,
				ring: () => void process.stdout.write("\u0007"),
			});
			register(settings().shortcut);
			ui.addAutocompleteProvider(mentionCompletion(parts.mentionNames));
		},
		refresh: () => refresh(),
		hideWidget: (hidden) => widget?.setHidden(hidden),
		stop,
	};
}
