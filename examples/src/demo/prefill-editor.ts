import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import { TUI_PROMPT } from "./tasks.js";

/** An extension of pi that writes a prompt into the editor and says what to do with it. */
export default function prefillEditor(pi: ExtensionAPI): void {
	pi.on("session_start", (_, ctx) => {
		// Agents load this extension, too; they have no editor.
		if (!pi.getAllTools().some(({ name }) => name === "subagent")) return;
		ctx.ui.setEditorText(TUI_PROMPT);
		ctx.ui.notify(
			"Press Enter to send the prompt below; the agents appear above it. /agents lists them, ctrl+o opens and closes reports, /quit leaves.",
		);
	});
}
